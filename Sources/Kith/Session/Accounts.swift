import KithModel

/// All stores on this device, whichever account is current: `client.accounts`.
///
/// ```swift
/// for store in try await client.accounts.all() where !store.isCurrent {
///     print(store.name ?? "", store.lists, store.waiting)
///     let lists = try await client.lists.all(within: store.scope)
/// }
/// ```
///
/// ``Lists/all(within:)``, ``Lists/items(in:within:)``, ``Lists/members(of:within:)`` and
/// ``KithClient/rejections(within:)`` read any store; ``Lists/moveLists(_:from:to:)`` moves lists between any two. To
/// edit or sync a store that is not current, create a client with ``KithConfiguration/account``.
public struct Accounts: Sendable {
    let client: KithClient

    /// Every store on this device, in the order of their creation.
    public func all() async throws -> [StoredAccount] {
        let now = client.replica.dependencies.now()
        let stores = try await client.replica.read { db, _ in try StoredAccount.fetchAll(at: now, db) }
        return try stores.withTokens(in: client.engine.credentials)
    }

    /// The store of this scope; nil if there is none.
    public func store(_ scope: AccountScope) async throws -> StoredAccount? {
        try await all().first { $0.scope == scope }
    }

    /// Reports each time stores become hidden, either by a call or by a round that replaces an anonymous session
    /// because the server does not accept it any more.
    public func hidden() -> AsyncStream<HiddenStores> { client.engine.hidings() }
}

extension KithClient {
    /// All accounts and stores on this device, whichever account is current.
    public var accounts: Accounts { Accounts(client: self) }
}
