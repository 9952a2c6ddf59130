import Kith
import KithModel
import Testing

@Suite("A store with only a removal that can be undone") struct KeptRemovalStoreTests {
    private let server = FakeServer()

    /// A client that keeps the last removal, as the command line's does.
    private func client() throws -> KithClient {
        let clock = server.clock
        let dependencies = Dependencies(now: { clock.now }, random: RandomSource(SplitMix64(seed: 1)))
        let replica = try Replica(.inMemory, dependencies: dependencies, keepsLastRemoval: true)
        return try KithClient(replica: replica, transport: server, credentials: InMemoryCredentialStore())
    }

    /// A signed-in client whose only list was removed, which the server knows.
    private func emptied() async throws -> (KithClient, AccountID) {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.lists.add("Milk", to: list)
        try await client.syncNow()
        try await client.lists.remove(list)
        try await client.syncNow()
        return (client, try #require(try await client.session.account()))
    }

    /// The token of another account.
    private func otherToken() -> String {
        let now = server.clock.now
        return server.change { $0.openSession(at: now).token }
    }

    @Test("It is not empty as long as the removal can be undone") func counted() async throws {
        let (client, account) = try await emptied()
        let store = try #require(try await client.accounts.store(.account(account)))
        #expect((store.lists, store.waiting, store.rejections) == (0, 0, 0))
        #expect(!store.isEmpty)
        server.clock.advance(by: KeptRemoval.time + .seconds(1))
        #expect(try await client.accounts.store(.account(account))?.isEmpty == true)
    }

    @Test("Every call that hides it reports it, and the removal can still be undone") func hidden() async throws {
        let (client, first) = try await emptied()
        var hidings = client.accounts.hidden().makeAsyncIterator()
        let activation = try await client.session.activate(token: otherToken())
        #expect(activation.hidden.stores.map(\.scope) == [.account(first)])
        // Without an announcement the stream would be waited for in vain.
        try #require(!activation.hidden.isEmpty)
        #expect(await hidings.next() == activation.hidden)
        #expect(try await client.status().otherStores.map(\.scope) == [.account(first)])
        try await client.session.select(.account(first))
        #expect(try await client.session.select(.userless).stores.map(\.scope) == [.account(first)])
        try await client.session.select(.account(first))
        #expect(try await client.lists.undoLastRemoval().items.map(\.title) == ["Milk"])
    }

    @Test("Logging out reports it") func loggedOut() async throws {
        let (client, account) = try await emptied()
        #expect(try await client.session.logOut().hidden.stores.map(\.scope) == [.account(account)])
        #expect(try await client.lists.lastRemoval(within: .account(account)) != nil)
    }

    @Test("A session that replaces a refused one takes over the waiting removal") func replaced() async throws {
        let (client, first) = try await emptied()
        server.change { $0.tokens = [:] }
        try await client.syncNow()
        #expect(try await client.session.account() != first)
        #expect(try await client.status().otherStores.isEmpty)
        #expect(try await client.lists.undoLastRemoval().items.map(\.title) == ["Milk"])
    }

    @Test("A removed list that was never sent counts too") func neverSent() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries")
        try await client.lists.remove(list.id)
        let hidden = try await client.session.activate(token: otherToken()).hidden
        #expect(hidden.stores.map(\.scope) == [.userless])
        #expect((hidden.lists, hidden.waiting) == (0, 0))
    }
}
