import Foundation
import Kith
import KithModel
import Testing

/// With the system's clock, because the loop sleeps by it; nothing here waits for a time, only for what must come.
@Suite("The loop", .timeLimit(.minutes(15))) struct RunTests {
    private func client(
        _ server: FakeServer, rate: SyncRate = .default, dependencies: Dependencies = .system
    ) throws -> KithClient {
        try KithClient(
            replica: try Replica(.inMemory, dependencies: dependencies), transport: server,
            credentials: InMemoryCredentialStore(), rate: rate)
    }

    /// Someone else adds an item; nobody is told.
    private func add(_ title: String, to list: ListID, on server: FakeServer) {
        server.change {
            let fields: Fields = ["title": .text(title), "position": "a0"]
            $0.write(.items, RecordID(UUID()), fields, in: list.retyped(), at: server.clock.now)
        }
    }

    private func status(_ client: KithClient, is wanted: (SyncStatus) -> Bool) async {
        for await status in client.liveStatus() where wanted(status) { return }
    }

    @Test("Edits are sent automatically, before and after the first session") func sends() async throws {
        let server = FakeServer()
        let client = try client(server)
        let list = try await client.lists.create("Groceries").id
        try await running(client) {
            await status(client) { $0.hasSynced && $0.waiting == 0 }
            #expect(server.change { $0.fields(list, in: list) } != nil)
            try await client.lists.add("Milk", to: list)
            await status(client) { $0.waiting == 0 }
            #expect(server.change { $0.titles(in: list) } == ["Milk"])
        }
    }

    @Test("Changes arrive by live push") func live() async throws {
        let server = FakeServer()
        let client = try client(server)
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await running(client) {
            var items = client.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            let stream = try await server.stream(of: client)
            add("Milk", to: list, on: server)
            stream.yield(ServerEvent(name: "moved", data: "{}"))
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
        }
    }

    @Test("A live stream that ends is reopened, and changes made meanwhile are read") func reopened() async throws {
        let server = FakeServer()
        let client = try client(server)
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await running(client) {
            var items = client.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            let first = try await server.stream(of: client)
            add("Milk", to: list, on: server)
            first.finish()
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
            let second = try await server.stream(of: client)
            add("Tea", to: list, on: server)
            second.yield(ServerEvent(name: "moved", data: "{}"))
            #expect(await items.next()?.added.map(\.title) == ["Tea"])
        }
    }

    @Test("Each listener hears that the sessions have changed, also after the live stream is reopened")
    func sessionChanges() async throws {
        let server = FakeServer()
        let client = try client(server)
        try await client.syncNow()
        try await running(client) {
            var listeners = (0..<2).map { _ in client.session.changes().makeAsyncIterator() }
            for _ in 1...2 {
                let stream = try await server.stream(of: client)
                stream.yield(ServerEvent(name: "sessions", data: "{}"))
                for index in listeners.indices {
                    let hasHeard = await listeners[index].next() != nil
                    #expect(hasHeard)
                }
                stream.finish()
            }
        }
    }

    @Test("Trap: The sessions change while there is no live stream – listeners hear it when one opens")
    func sessionsChangedMeanwhile() async throws {
        let server = FakeServer()
        let client = try client(server)
        try await client.syncNow()
        let changes = client.session.changes()
        try await running(client) {
            var heard = changes.makeAsyncIterator()
            for _ in 1...2 {
                let stream = try await server.stream(of: client)
                let hasHeard = await heard.next() != nil
                #expect(hasHeard)
                stream.finish()
            }
        }
    }

    @Test("Without a live stream, changes arrive by polling") func polling() async throws {
        let server = FakeServer()
        server.wire.refusesStreams = true
        let clock = server.clock
        let client = try client(
            server, dependencies: Dependencies(now: { clock.now }, random: RandomSource(SplitMix64(seed: 1))))
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await running(client) {
            await status(client) { $0.hasSynced && $0.waiting == 0 }
            var items = client.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            add("Milk", to: list, on: server)
            // The time of the next poll comes.
            clock.advance(by: .seconds(61))
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
        }
        #expect(!server.requests.contains { $0.path.hasPrefix("/v1/live") })
    }

    @Test("After an account switch the live stream is the new account's") func switching() async throws {
        let server = FakeServer()
        let client = try client(server)
        try await client.syncNow()
        try await running(client) {
            _ = try await server.stream(of: client)
            let session = server.change { $0.openSession(at: server.clock.now) }
            _ = try await client.session.activate(token: session.token)
            _ = try await server.stream(of: client)
            #expect(server.requests.last { $0.path.hasPrefix("/v1/live") }?.token == session.token)
        }
    }

    @Test("The live stream is reopened if another process logs out while it pauses, and signs in to the account again")
    func otherProcess() async throws {
        let (server, folder, pauses) = (FakeServer(), TemporaryFolder(), Pauses())
        let credentials = InMemoryCredentialStore()
        let replica = try Replica(.file(folder.replica), dependencies: pauses.dependencies(server.clock))
        let client = try KithClient(replica: replica, transport: server, credentials: credentials)
        try await client.syncNow()
        let account = try present(await client.session.account())
        let token = try #require(try await client.session.token())
        let device = try replica.readNow { $0.account.device }
        let other = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        try await running(client) {
            let stream = try await server.stream(of: client)
            stream.finish()
            // The loop waits for the next poll, and the stream for its next attempt.
            try await until {
                try await !client.status().isSyncing && pauses.underWay.count > 1
                    && pauses.underWay.contains { $0 <= RetrySchedule.firstPause }
            }
            try await other.client.session.logOut()
            pauses.end(upTo: RetrySchedule.firstPause)
            // The stream finds no session meanwhile. If it did not, it would open again by itself.
            for _ in 0..<1_000 { _ = try await replica.read { $0.account.state } }
            server.change { $0.tokens[token] = account }
            _ = try await other.client.session.activate(token: token)
            try await until {
                client.engine.post(.tick)
                return server.stream(of: device) != nil
            }
        }
    }

    @Test("At the rate off, only an explicit sync sends edits") func off() async throws {
        let server = FakeServer()
        let client = try client(server, rate: .off)
        let list = try await client.lists.create("Groceries").id
        try await running(client) {
            try await client.lists.add("Milk", to: list)
            try await client.syncNow()
            #expect(server.change { $0.titles(in: list) } == ["Milk"])
            #expect(!server.requests.contains { $0.path.hasPrefix("/v1/live") })
            try await client.lists.add("Tea", to: list)
            #expect(try await client.status().waiting == 1)
            client.setSyncRate(.default)
            await status(client) { $0.waiting == 0 }
            #expect(server.change { $0.titles(in: list) } == ["Milk", "Tea"])
        }
    }

    @Test("Trap: A thousand edits come during a round and push out a change of the rate before them – it holds")
    func rateDuringRound() async throws {
        let (server, gate) = (FakeServer(), AnswerGate())
        server.wire.meanwhile = { _ in try await gate.pass() }
        let client = try client(server)
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        let device = try client.replica.readNow { $0.account.device }
        try await running(client) {
            _ = try await server.stream(of: client)
            gate.close()
            try await client.lists.add("Milk", to: list)
            try await until { gate.held == 1 }
            client.setSyncRate(.off)
            for _ in 0..<2_000 { client.engine.post(.edited) }
            gate.open()
            // At the rate off there is no live stream.
            try await until { server.stream(of: device) == nil }
        }
    }

    @Test("Cancelling the task ends the loop, also where there is no server") func cancelling() async throws {
        let local = try KithClient.inMemory()
        try await running(local) { try await local.lists.create("Groceries") }
        let server = FakeServer.gone
        let client = try client(server)
        try await running(client) { await status(client) { $0.lastError?.code == .offline } }
        #expect(try await client.status().retryAt != nil)
    }
}
