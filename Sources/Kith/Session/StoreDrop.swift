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

    /// Drops the stores. The server is told of the end of the sessions of identified accounts at the next sync or sign-in.
    ///
    /// - Returns: The state of the stores before the call.
    /// - Throws: ``KithError`` with `refused` if the client is pinned to one of the stores, or if the user has decided
    ///   about a store that is the current one.
    @discardableResult
    func run() async throws -> [StoredAccount] {
        let replica = client.replica
        if replica.isPinned && (scope == nil || scope == replica.scope) { throw KithError.pinned }
        let stores = try await client.accounts.all().filter { scope == nil || $0.scope == scope }
        try await prepareEndings(of: stores)
        let evenCurrent = cause != .decided
        if evenCurrent { try deleteTokens() }
        try await client.transact { [scope] in try $0.drop(scope, evenCurrent: evenCurrent) }
        // If the drop was refused, the store keeps its token.
        if !evenCurrent { try deleteTokens() }
        let endings = client.engine.endings
        try? await endings.send()
        endings.sendSoon()
        return stores
    }

    /// Notes each session whose end the server has to hear of.
    private func prepareEndings(of stores: [StoredAccount]) async throws {
        if cause == .accountDeleted { return }
        // An anonymous account has no other way in, so its session stays open for a saved token (law 13).
        for account in stores.filter(\.isIdentified).compactMap(\.account) {
            try await client.engine.endings.prepare(for: account)
        }
    }

    private func deleteTokens() throws {
        switch scope {
        case nil: try client.engine.credentials.deleteAllTokens()
        case .account(let id): try client.engine.credentials.deleteToken(for: id)
        case .userless: break
        }
    }
}
