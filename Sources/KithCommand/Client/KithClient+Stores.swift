import Kith

extension KithClient {
    /// The scope of the store that the client works with: the current one, unless the client is pinned.
    func shownScope() async throws -> AccountScope {
        try await session.account().map(AccountScope.account) ?? .userless
    }

    /// The stores of this device besides the one that the client works with.
    func otherStores() async throws -> [StoredAccount] {
        let scope = try await shownScope()
        return try await accounts.all().filter { $0.scope != scope }
    }
}
