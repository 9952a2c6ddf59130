import Foundation
package import KithModel

/// A feed, as the device refers to it.
///
/// The account's own feed has no id before the first session, and afterwards that of the account. So its id is used only
/// in messages.
package enum ReplicaFeed: Hashable, Sendable {
    /// The account's own feed.
    case own
    /// The feed of a list.
    case ofList(FeedID)

    /// The feed with this id in the messages of an account.
    package init(_ id: FeedID, inMessagesOf account: AccountID?) {
        self = id.uuid == account?.uuid ? .own : .ofList(id)
    }

    /// The feed with this id; the account's own if it is nil.
    package init(id: FeedID?) { self = id.map(Self.ofList) ?? .own }

    /// The feed that has this id in the tables `feed` and `parked`.
    init(rowID: FeedID) { self = rowID == Self.zeros ? .own : .ofList(rowID) }

    /// The id of a list's feed; nil for the account's own feed. Records and mutations are stored with it.
    package var id: FeedID? { if case .ofList(let id) = self { id } else { nil } }

    /// The id in the tables `feed` and `parked`: zeros for the account's own feed.
    var rowID: FeedID { id ?? Self.zeros }

    /// The id in the messages of an account.
    func id(inMessagesOf account: AccountID) -> FeedID { id ?? account.retyped() }

    private static let zeros = FeedID(UUID(high: 0, low: 0))
}
