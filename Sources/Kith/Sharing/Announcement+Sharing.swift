public import Foundation

extension Announcement {
    /// Changes of sharing.
    package var sharing: SharingChanges? { changes() }
}

extension Notification.Name {
    /// Something about sharing has changed; `userInfo["changed"]` is a ``SharingChanges``.
    public static let kithSharingChanged = Notification.Name("KithSharingChanged")
}
