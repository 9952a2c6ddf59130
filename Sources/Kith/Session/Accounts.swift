public import KithModel

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
        let (now, collections) = (client.replica.dependencies.now(), client.replica.dependencies.collections)
        let stores = try await client.replica.read { try StoredAccount.fetchAll(at: now, collections, $0.db) }
        return try stores.withTokens(in: client.engine.credentials)
    }

    /// The store of this scope; nil if there is none.
    public func store(_ scope: AccountScope) async throws -> StoredAccount? {
        try await all().first { $0.scope == scope }
    }

    /// The stores that a sign-in or a new session has hidden, and about which the user has not decided yet. A new session
    /// also replaces an anonymous one that the server does not accept any more. Ask about each store, also after a restart.
    /// Kith does not move or drop a store without a decision.
    ///
    /// ``Sessions/select(_:)`` and ``Sessions/logOut(expecting:)`` ask nothing: the user has chosen to see another store.
    public func undecided() async throws -> [StoredAccount] {
        try await all().filter { $0.isUndecided && !$0.isEmpty }
    }

    /// Carries out the user's decision about a hidden store, completely or not at all.
    ///
    /// An edit that the server may have received is copied, and also stays in its store. If that account is used again, it is
    /// sent from there; the server ignores it if it has it already.
    ///
    /// - Parameters:
    ///   - decision: Whether to move its lists, keep it, or drop it.
    ///   - scope: The store.
    ///   - lists: The lists to move, if the decision is to move; all of them if nil. Other people lose a list that moves.
    ///     An unsent invitation to a list moves with it.
    /// - Returns: The new identity of each moved list, by its old identity.
    /// - Throws: ``KithError``: `notFound` if this device has no such store; `refused` if the store is the current one, the
    ///   current account was deleted, or the client is pinned.
    @discardableResult
    public func decide(
        _ decision: StoreDecision, about scope: AccountScope, lists: [ListID]? = nil
    ) async throws -> [ListID: ListID] {
        try client.refusePinned()
        guard let store = try await store(scope) else { throw Self.noStore }
        guard !store.isCurrent else {
            throw KithError(.refused, "This store is the current one. Decide only about hidden stores.")
        }
        if decision == .drop {
            try await StoreDrop(client: client, scope: scope, cause: .decided).run()
            return [:]
        }
        return try await client.transact { transaction in
            guard let store = try ReplicaAccount.at(scope, transaction.db) else { throw Self.noStore }
            guard store.key != transaction.account.key else { throw KithError.otherAccount }
            guard decision == .keep || transaction.account.state != .inactive else {
                throw KithError(
                    .refused,
                    "The current account was deleted, so nothing can move to it. Sign in, or open a new session, and "
                        + "decide then.")
            }
            var moved: [ListID: ListID] = [:]
            if decision == .move {
                let current = transaction.account
                let move = try UnsentMove(from: store, to: current, isDecided: true, in: transaction)
                moved = try ListMove(from: store, to: current, in: transaction).move(lists)
                for (list, new) in moved { move.feeds[list.retyped()] = new.retyped() }
                try transaction.moveUnsent(move)
            }
            try transaction.change(store) { $0.isUndecided = false }
            return moved
        }
    }

    private static let noStore = KithError(.notFound, "This device has no data of this account.")

    /// Deletes a store from this device, with its token and its unsent edits. If it is the current one, the userless store
    /// becomes the current one.
    ///
    /// The session of an identified account ends: on the server now or, if it cannot be reached, at the next sync or sign-in. That of
    /// an anonymous account stays open, because only a token that the app has saved (``Sessions/activate(token:)``) or a
    /// recovery code leads to the account again.
    ///
    /// - Parameters:
    ///   - scope: The store.
    ///   - expected: The stores that the user has seen before agreeing, from ``all()``; nil to drop the store as it is.
    /// - Returns: The state of the store before the call; empty if this device has no such store.
    /// - Throws: ``KithError``: `refused` if the client is pinned to this store, or if the store is not as expected: it has
    ///   more unsent edits. Then nothing was dropped. `credentials` if the tokens of the device cannot be read or deleted.
    ///   Then call this function again: the store may be dropped already, and its token still be there.
    @discardableResult
    public func drop(
        _ scope: AccountScope, expecting expected: [StoredAccount]? = nil
    ) async throws -> [StoredAccount] {
        try await StoreDrop(client: client, scope: scope, cause: .asked, expected: expected).run()
    }

    /// Deletes every store from this device, as ``drop(_:expecting:)`` does. The data of all accounts, current or hidden, is lost with
    /// everything that was not sent.
    ///
    /// The address book belongs to the device and not to an account, so it stays. `client.addressBook.removeAllData()` of
    /// `KithAddressBook` removes its sources, copies of cards and passwords. A damaged replica that was moved aside stays
    /// until the app deletes it (``KithClient/damagedReplica``).
    ///
    /// - Parameter expected: The stores that the user has seen before agreeing, from ``all()``; nil to drop whatever there is.
    ///   Another process can add an account, or an edit, while the app asks the user.
    /// - Returns: The state of the deleted stores before the call.
    /// - Throws: ``KithError``: `refused` if the client is pinned, or if there is another store or an unsent edit more than
    ///   expected. Then nothing was dropped. `credentials` as for ``drop(_:expecting:)``.
    @discardableResult
    public func dropEverything(expecting expected: [StoredAccount]? = nil) async throws -> [StoredAccount] {
        try await StoreDrop(client: client, scope: nil, cause: .asked, expected: expected).run()
    }

    /// Reports each time stores become hidden, either by a call or by a round that replaces an anonymous session
    /// because the server does not accept it any more.
    public func hidden() -> AsyncStream<HiddenStores> { client.engine.hidings() }
}

extension KithClient {
    /// All accounts and stores on this device, whichever account is current.
    public var accounts: Accounts { Accounts(client: self) }
}
