public import Foundation
package import KithModel

extension Announcement {
    /// Changes of invitations.
    package var invitations: Changed<Invitation>? { changes() }
}

extension Invitation: ObservedRecord {
    package static var notification: Notification.Name? { .kithInvitationsChanged }
}

extension Notification.Name {
    /// Invitations have changed; `userInfo["changed"]` is a `Changed<Invitation>`.
    public static let kithInvitationsChanged = Notification.Name("KithInvitationsChanged")
}
