/// The stores that an operation has hidden, because another one became the current one. Nothing in them is lost.
///
/// ```swift
/// let hidden = try await client.session.activate(token: token).hidden
/// for store in hidden.stores {  // Ask, then move what is wanted, or leave it where it is.
///     try await client.lists.moveLists(from: store.scope, to: hidden.current)
/// }
/// ```
public struct HiddenStores: Sendable, Hashable {
    /// The stores that were hidden and hold anything: lists, people, unsent edits, rejections or a removal that can be undone.
    public internal(set) var stores: [StoredAccount]
    /// The store that is shown instead: where lists can be moved to.
    public let current: AccountScope

    /// Whether nothing was hidden that anybody could miss.
    public var isEmpty: Bool { stores.isEmpty }
    /// How many lists were hidden.
    public var lists: Int { stores.reduce(0) { $0 + $1.lists } }
    /// How many unsent edits were hidden.
    public var waiting: Int { stores.reduce(0) { $0 + $1.waiting } }
}

extension ReplicaTransaction {
    /// The stores that this transaction has hidden.
    func hidden() throws -> HiddenStores {
        let stores = try left.filter { $0 != account.key }.compactMap { try ReplicaAccount.with(key: $0, db) }
            .map { try StoredAccount($0, at: now, db) }.filter { !$0.isEmpty }
        return HiddenStores(stores: stores, current: account.id.map(AccountScope.account) ?? .userless)
    }
}
