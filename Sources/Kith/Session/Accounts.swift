import KithModel

/// Everything that is on this device, whichever account is current: `client.accounts`.
///
/// ```swift
/// for store in try await client.accounts.all() where !store.isCurrent {
///     print(store.name ?? "", store.lists, store.waiting)
///     let lists = try await client.lists.all(within: store.scope)
/// }
/// ```
///
/// ``Lists/all(behind:)``, ``Lists/items(in:behind:)``, ``Lists/members(of:behind:)`` and
/// ``KithClient/rejections(behind:)`` read any store; ``Lists/moveLists(_:from:to:)`` moves lists between any two. To
/// edit or sync one that is not current, make a client with ``KithConfiguration/account``.
public struct Accounts: Sendable {
    let client: KithClient

    /// Every store on this device, in the order in which they were made.
    public func all() async throws -> [StoredAccount] {
        let now = client.replica.dependencies.now()
        let stores = try await client.replica.read { db, _ in try StoredAccount.fetchAll(at: now, db) }
        return try stores.withTokens(in: client.engine.credentials)
    }

    /// The store behind a wall; nil if there is none.
    public func store(_ scope: AccountScope) async throws -> StoredAccount? {
        try await all().first { $0.scope == scope }
    }

    /// Tells of stores as they are hidden from now on, whatever hides them: a call, or a round that finds that the server
    /// no longer accepts an anonymous session and opens another.
    public func hidden() -> AsyncStream<HiddenStores> { client.engine.hidings() }
}
