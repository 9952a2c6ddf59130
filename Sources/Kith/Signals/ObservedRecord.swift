package import Foundation

/// A record whose changes are reported.
package protocol ObservedRecord: Hashable, Sendable {
    /// The name of the notification that an app receives; nil if there is none.
    static var notification: Notification.Name? { get }
}

extension Changed: ReportedChanges where Record: ObservedRecord {
    package var notification: (name: Notification.Name, changed: any Sendable)? {
        Record.notification.map { ($0, self) }
    }
}
