package import Foundation

/// The changes of one collection, as observers receive them.
package protocol ReportedChanges: Hashable, Sendable {
    /// Whether nothing has changed.
    var isEmpty: Bool { get }

    /// The notification that an app receives, and the changes in it; nil if there is none.
    var notification: (name: Notification.Name, changed: any Sendable)? { get }
}
