/// The stores that an operation has hidden because another store became the current one. Their content is not lost.
///
/// ```swift
/// let hidden = try await client.session.activate(token: token).hidden
/// for store in hidden.stores {  // Ask the user: move its lists, keep it, or drop it.
///     try await client.accounts.decide(.move, about: store.scope)
/// }
/// ```
public struct HiddenStores: Sendable, Hashable {
    /// The hidden stores that are not empty: see ``StoredAccount/isEmpty``.
    public internal(set) var stores: [StoredAccount]
    /// The store that is shown instead. Lists can be moved to it.
    public let current: AccountScope

    /// Whether no store with content was hidden.
    public var isEmpty: Bool { stores.isEmpty }
    /// How many lists were hidden.
    public var lists: Int { stores.reduce(0) { $0 + $1.lists } }
    /// How many unsent edits were hidden.
    public var waiting: Int { stores.reduce(0) { $0 + $1.waiting } }
}

extension ReplicaTransaction {
    /// Records that the user has to decide about the stores that this transaction has hidden.
    func markHiddenUndecided() throws {
        for store in try hidden().stores { try change(store.scope) { $0.isUndecided = true } }
    }

    /// The stores that this transaction has hidden.
    func hidden() throws -> HiddenStores {
        let stores = try storesLeft.filter { $0 != account.key }.compactMap { try ReplicaAccount.with(key: $0, db) }
            .map { try StoredAccount($0, at: now, collections, db) }.filter { !$0.isEmpty }
        return HiddenStores(stores: stores, current: AccountScope(account.id))
    }
}
