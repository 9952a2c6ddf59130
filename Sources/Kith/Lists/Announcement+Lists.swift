public import Foundation
package import KithModel

extension Announcement {
    /// Changes of lists.
    package var lists: Changed<SharedList>? { changes() }
    /// Changes of items.
    package var items: Changed<ListItem>? { changes() }
    /// Changes of the people in lists.
    package var members: Changed<Member>? { changes() }
}

extension SharedList: ObservedRecord {
    package static var notification: Notification.Name? { .kithListsChanged }
}

extension ListItem: ObservedRecord {
    package static var notification: Notification.Name? { .kithItemsChanged }
}

extension Member: ObservedRecord {
    package static var notification: Notification.Name? { .kithMembersChanged }
}

extension Notification.Name {
    /// Lists have changed; `userInfo["changed"]` is a `Changed<SharedList>`.
    public static let kithListsChanged = Notification.Name("KithListsChanged")
    /// Items have changed; `userInfo["changed"]` is a `Changed<ListItem>`.
    public static let kithItemsChanged = Notification.Name("KithItemsChanged")
    /// The people of lists have changed; `userInfo["changed"]` is a `Changed<Member>`.
    public static let kithMembersChanged = Notification.Name("KithMembersChanged")
}
