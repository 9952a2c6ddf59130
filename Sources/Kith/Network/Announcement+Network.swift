public import Foundation

extension Announcement {
    /// Changes of contacts.
    package var contacts: ContactDifferences? { changes() }
    /// Address book matches that were found or are gone.
    package var matches: Changed<Match>? { changes() }
}

extension Match: ObservedRecord {
    package static var notification: Notification.Name? { nil }
}

extension Notification.Name {
    /// Contacts have changed; `userInfo["changed"]` is the ``NetworkChanges`` in the view `everyone`.
    public static let kithNetworkChanged = Notification.Name("KithNetworkChanged")
}
