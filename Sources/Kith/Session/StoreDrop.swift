import KithModel

/// Deletes stores from this device: ends their sessions, and deletes their tokens and their rows.
struct StoreDrop {
    /// Why a store is dropped.
    enum Cause {
        /// The user wants to drop it, also if it is the current one.
        case asked
        /// The user has decided about a hidden store. If it has become the current one, it is not dropped.
        case decided
        /// Its account was deleted. The server has no session to end.
        case accountDeleted
    }

    let client: KithClient
    /// The store; nil for every store.
    let scope: AccountScope?
    let cause: Cause
    /// The stores as the user has seen them before agreeing; nil if the app does not say.
    var expected: [StoredAccount]?

    /// Drops the stores. The server is told of the end of the sessions of identified accounts at the next sync or sign-in.
    ///
    /// - Returns: The state of the stores before the call.
    /// - Throws: ``KithError`` with `refused` if the client is pinned to one of the stores, if the user has decided about a
    ///   store that is the current one, or if there is more to drop than the user has seen.
    @discardableResult
    func run() async throws -> [StoredAccount] {
        let replica = client.replica
        if replica.isPinned && (scope == nil || scope == replica.scope) { throw KithError.pinned }
        let stores = try await client.accounts.all().filter { scope == nil || $0.scope == scope }
        try await prepareEndings(of: stores)
        try await client.transact { [scope, cause, expected] transaction in
            if let expected { try Self.check(scope, against: expected, in: transaction) }
            try transaction.drop(scope, evenCurrent: cause != .decided)
        }
        // Afterwards, because a drop that is refused or fails keeps the tokens. In another task, because this one may be
        // cancelled by now, for example with the view of the account, and a cancelled task cannot use the database.
        try await Task { try await deleteTokens(of: stores) }.value
        let endings = client.engine.endings
        try? await endings.send()
        endings.sendSoon()
        return stores
    }

    /// Checks that the stores to drop are those that the user has seen, without further unsent edits.
    private static func check(
        _ scope: AccountScope?, against expected: [StoredAccount], in transaction: ReplicaTransaction
    ) throws {
        let stores = try StoredAccount.fetchAll(at: transaction.now, transaction.collections, transaction.db)
        let isSeen = stores.filter { scope == nil || $0.scope == scope }.allSatisfy { store in
            // A log-out creates this one.
            if store.scope == .userless && store.isEmpty { return true }
            guard let seen = expected.first(where: { $0.scope == store.scope }) else { return false }
            return store.waiting <= seen.waiting
        }
        guard isSeen else {
            throw KithError(.refused, "Something was added on this device meanwhile. Nothing was dropped.")
        }
    }

    /// Notes each session whose end the server has to hear of.
    private func prepareEndings(of stores: [StoredAccount]) async throws {
        if cause == .accountDeleted { return }
        // An anonymous account has no other way in, so its session stays open for a saved token (law 13).
        for account in stores.filter(\.isIdentified).compactMap(\.account) {
            try await client.engine.endings.prepare(for: account)
        }
    }

    /// Deletes the tokens of the dropped stores. Another process may have signed in since the drop. It has saved its token in the
    /// transaction that has made its store, so a token whose account has a store is in use again.
    private func deleteTokens(of stores: [StoredAccount]) async throws {
        let (replica, credentials) = (client.replica, client.engine.credentials)
        // A call may have begun for the account that was dropped.
        try await Replica.forAnyAccount { [scope] in
            try await replica.write { transaction in
                let inUse = Set(try ReplicaAccount.all(transaction.db).compactMap(\.id))
                // This also deletes tokens without a store, as of a sign-in that was interrupted.
                if scope == nil && inUse.isEmpty { return try credentials.deleteAllTokens() }
                let dropped = if case .account(let id) = scope { [id] } else { stores.compactMap(\.account) }
                for account in dropped where !inUse.contains(account) { try credentials.deleteToken(for: account) }
            }
        }
    }
}
