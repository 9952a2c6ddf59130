import Foundation
import Kith
import KithModel
import Testing

/// The clock stands, and each pause lasts until the test ends it: so nothing happens by itself.
@Suite("What the loop waits for", .timeLimit(.minutes(15))) struct LoopPauseTests {
    private let server = FakeServer()
    private let pauses = Pauses()

    private func client(_ faults: Replica.Faults = Replica.Faults()) throws -> KithClient {
        let replica = try Replica(.inMemory, dependencies: pauses.dependencies(server.clock), faults: faults)
        return try KithClient(replica: replica, transport: server, credentials: InMemoryCredentialStore())
    }

    @Test("When the time of the next poll has come, a round reads what is new") func poll() async throws {
        let client = try client()
        // At this rate there is no live stream that could wake the loop.
        client.setSyncRate(.slow)
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await running(client) {
            try await until { pauses.underWay.contains(.minutes(10)) }
            let now = server.clock.now
            server.change {
                let fields: Fields = ["title": "Milk", "position": "a0"]
                $0.write(.items, RecordID(UUID()), fields, in: list.retyped(), at: now)
            }
            server.clock.advance(by: .minutes(10))
            try await until {
                pauses.end(upTo: .minutes(10))
                return try await client.lists.items(in: list).map(\.title) == ["Milk"]
            }
        }
    }

    @Test("Each event takes the place of the timer before it") func oneTimer() async throws {
        server.wire.refusesStreams = true
        let client = try client()
        try await client.syncNow()
        try await running(client) {
            try await until { pauses.underWay.contains(.seconds(60)) }
            for count in 1...4 {
                client.setSyncRate(.slow)
                try await until { pauses.asked.count { $0 == .minutes(10) } >= count }
            }
            try await until { pauses.underWay == [.minutes(10)] }
        }
    }

    @Test("The end of the loop ends its timers and its live stream") func end() async throws {
        let client = try client()
        try await client.syncNow()
        let device = try client.replica.readNow { $0.account.device }
        try await running(client) {
            _ = try await server.stream(of: client)
            try await until { pauses.underWay.contains(.minutes(15)) }
        }
        try await until { pauses.underWay.isEmpty && server.stream(of: device) == nil }
    }

    @Test("A successful syncNow ends a longer pause that the server has asked for") func byHand()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 3_600) { $0 == "/v1/sync" }
        server.wire.refusesStreams = true
        try await running(client) {
            try await until { pauses.underWay.contains(.minutes(60)) }
            server.wire.instead = { _ in nil }
            try await client.syncNow()
            try await until { pauses.underWay.contains(.seconds(60)) && !pauses.underWay.contains(.minutes(60)) }
        }
    }

    @Test("A live stream that ends is reopened after one or two seconds, however often that happens")
    func reopening() async throws {
        let client = try client()
        try await client.syncNow()
        try await running(client) {
            for _ in 0..<20 {
                try await server.stream(of: client).finish()
                try await until { pauses.underWay.contains { $0 <= .seconds(2) } }
                pauses.end(upTo: .seconds(2))
            }
        }
        let made = pauses.asked.filter { $0 < .seconds(60) }.prefix(20)
        #expect(made.count == 20)
        #expect(made.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(2) })
        #expect(made.contains(.seconds(1)), "A shorter one is as long as this.")
    }

    @Test("The server's id is requested again if a live stream cannot reach it, and not if it is busy")
    func askedAgain() async throws {
        let client = try client()
        try await client.syncNow()
        try await running(client) {
            for (code, isAsked) in [(KithError.Code.busy, false), (.offline, true)] {
                let stream = try await server.stream(of: client)
                let before = server.identifications
                stream.finish(throwing: KithError(code, "It ends."))
                try await until { pauses.underWay.contains { $0 <= .seconds(2) } }
                pauses.end(upTo: .seconds(2))
                _ = try await server.stream(of: client)
                #expect((server.identifications > before) == isAsked)
            }
        }
    }

    /// The server gets an edit as soon as the time of its round has come.
    private func arrives(_ title: String, in list: ListID, of client: KithClient) async throws {
        try await client.lists.add(title, to: list)
        try await until {
            server.clock.advance(by: .milliseconds(500))
            pauses.end(upTo: .milliseconds(500))
            return server.change { $0.titles(in: list) }.contains(title)
        }
    }

    @Test("Trap: run() is called again before the cancelled call has ended – its end takes no edit from the new one")
    func calledAgain() async throws {
        let gate = AnswerGate()
        server.wire.meanwhile = { _ in try await gate.pass() }
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        gate.close()
        let first = Task { await client.run() }
        try await until { gate.held == 1 }
        first.cancel()
        let second = Task { await client.run() }
        for _ in 0..<1_000 { await Task.yield() }
        gate.open()
        await first.value
        // The second one has its live stream, so only an edit wakes it now.
        try await until { pauses.underWay.contains(.minutes(15)) }
        try await arrives("Milk", in: list, of: client)
        second.cancel()
        await second.value
    }

    @Test(
        "Trap: Two tasks call run(), and one is cancelled – the other one syncs, and there is one live stream at a time",
        arguments: [true, false])
    func calledTwice(firstEnds: Bool) async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        let first = Task { await client.run() }
        try await until { pauses.underWay.contains(.minutes(15)) }
        let second = Task { await client.run() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(server.requests.count { $0.path.hasPrefix("/v1/live") } == 1)
        try await arrives("Milk", in: list, of: client)
        let (ended, other) = firstEnds ? (first, second) : (second, first)
        ended.cancel()
        await ended.value
        try await arrives("Tea", in: list, of: client)
        other.cancel()
        await other.value
    }

    @Test("A lower rate ends the live stream, and so does a switch of accounts") func streamEnds()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        let first = try client.replica.readNow { $0.account.device }
        try await running(client) {
            _ = try await server.stream(of: client)
            client.setSyncRate(.slow)
            try await until { server.stream(of: first) == nil }
            client.setSyncRate(.default)
            _ = try await server.stream(of: client)
            try await client.session.open()
            _ = try await server.stream(of: client)
            try await until { server.stream(of: first) == nil }
        }
    }

    @Test("Trap: The rate is off for a moment – the end of the old live stream is no end of the new one")
    func briefPause() async throws {
        let client = try client()
        try await client.syncNow()
        func opened() -> Int { server.requests.count { $0.path.hasPrefix("/v1/live") } }
        try await running(client) {
            for count in 1...20 {
                try await until { opened() == count && pauses.underWay == [.minutes(15)] }
                client.setSyncRate(.off)
                client.setSyncRate(.default)
            }
            try await until { opened() == 21 }
            for _ in 0..<1_000 { await Task.yield() }
            // A loop that counts the stream as closed stays at a round each minute.
            try await until { pauses.underWay == [.minutes(15)] }
        }
    }

    @Test(
        "caughtUp retries at the time of the next attempt, or in a tenth of a second if that is past",
        arguments: [true, false])
    func caughtUp(isPast: Bool) async throws {
        var faults = Replica.Faults()
        let clock = server.clock
        if isPast { faults.afterCommit = { clock.advance(by: .minutes(60)) } }
        let client = try client(faults)
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 120) { $0 == "/v1/sync" }
        async let done: Void = client.caughtUp()
        let pause = isPast ? Duration.milliseconds(100) : .seconds(120)
        try await until { pauses.asked == [pause] }
        server.goAway()
        pauses.end(upTo: pause)
        try await until { pauses.asked.count == 2 }
        server.mend()
        pauses.end(upTo: .minutes(10))
        try await done
        #expect(pauses.asked.count == 2)
        server.refuse(403, .forbidden) { $0 == "/v1/sync" }
        #expect(await code { try await client.caughtUp() } == .forbidden)
        #expect(pauses.asked.count == 2)
    }

    @Test("Trap: The page to sign in of a network answers – caughtUp waits for the server") func caughtUpBehindPage()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        server.wire.instead = {
            $0.path == "/v1/sync" ? TransportResponse(status: 200, body: Data("<html>".utf8)) : nil
        }
        let caller = Task { try await client.caughtUp() }
        try await until { pauses.underWay.count == 1 }
        server.mend()
        pauses.end(upTo: .minutes(10))
        try await caller.value
    }

    @Test("Trap: The server answers another round while caughtUp waits for its next attempt – it does not sleep on")
    func caughtUpByAnother() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 3_600) { $0 == "/v1/sync" }
        try await client.lists.add("Milk", to: list)
        async let done: Void = client.caughtUp()
        try await until { pauses.underWay == [.minutes(60)] }
        server.mend()
        try await client.syncNow()
        try await done
        #expect(pauses.asked == [.minutes(60)])
        #expect(server.change { $0.titles(in: list) } == ["Milk"])
    }

    /// The server is away, and so many attempts have failed that the pauses are long.
    private func leave(_ client: KithClient) async throws {
        server.goAway()
        for _ in 1...8 { #expect(await code { try await client.syncNow() } == .offline) }
    }

    @Test("Trap: The network returns long before the next attempt – networkChanged() wakes all that wait for it")
    func networkReturns() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await leave(client)
        try await client.lists.add("Milk", to: list)
        let caller = Task { try await client.caughtUp() }
        try await until { pauses.underWay.count == 1 }
        let long = pauses.underWay
        try await running(client) {
            // The caller has tried again when the loop began. The caller and the loop wait, and so does the live stream.
            try await until { pauses.underWay.count == 3 && !pauses.underWay.contains(where: long.contains) }
            try await leave(client)
            server.mend()
            await client.networkChanged()
            try await caller.value
            #expect(server.change { $0.titles(in: list) } == ["Milk"])
            _ = try await server.stream(of: client)
            // The loop has made its round.
            try await until { pauses.underWay == [.minutes(15)] }
        }
    }

    @Test("Trap: The network returns long before the next attempt – an edit is sent at once") func editOffline()
        async throws
    {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        server.goAway()
        try await running(client) {
            // The loop waits after its first attempt, and so does the live stream.
            try await until { pauses.underWay.count == 2 }
            try await leave(client)
            server.mend()
            server.clock.advance(by: .seconds(10))
            try await client.lists.add("Milk", to: list)
            try await until { server.change { $0.titles(in: list) } == ["Milk"] }
        }
    }

    @Test("Trap: The app starts long before the next attempt – run() makes one at once") func start() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await leave(client)
        try await client.lists.add("Milk", to: list)
        server.mend()
        try await running(client) {
            try await until { server.change { $0.titles(in: list) } == ["Milk"] }
        }
    }

    @Test("Trap: The server returns long before the next attempt – the live stream that opens is followed by a round")
    func streamOpens() async throws {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        try await client.lists.add("Milk", to: list)
        server.goAway()
        try await running(client) {
            // The loop waits after its first attempt, and so does the live stream.
            try await until { pauses.underWay.count == 2 }
            try await leave(client)
            server.mend()
            server.clock.advance(by: .seconds(10))
            // The pause of the stream ends. If that of the loop ends too, the loop finds a later time.
            try await until {
                pauses.end(upTo: .seconds(2))
                return server.change { $0.titles(in: list) } == ["Milk"]
            }
        }
    }

    @Test("networkChanged() does not shorten a pause that the server has asked for") func networkChangedWhileBusy()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 3_600) { $0 == "/v1/sync" }
        // So is each live stream, with a pause of its own.
        server.wire.refusesStreams = true
        let caller = Task { try await client.caughtUp() }
        try await until { pauses.underWay == [.minutes(60)] }
        let sent = server.requests.count { $0.path == "/v1/sync" }
        try await running(client) {
            // The caller and the loop wait, and so does the live stream.
            try await until { pauses.underWay.count { $0 == .minutes(60) } == 2 && pauses.underWay.count == 3 }
            let asked = pauses.asked.count { $0 == .minutes(60) }
            let askedForStreams = pauses.asked.count { $0 < .minutes(1) }
            await client.networkChanged()
            try await until { pauses.asked.count { $0 == .minutes(60) } > asked }
            for _ in 0..<1_000 { await Task.yield() }
            #expect(server.requests.count { $0.path == "/v1/sync" } == sent)
            #expect(pauses.asked.count { $0 < .minutes(1) } == askedForStreams)
        }
        caller.cancel()
        _ = await caller.result
    }

    @Test("networkChanged() ends a pause that is too long because the clock was set back") func networkChangedEarlier()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 3_600) { $0 == "/v1/sync" }
        let caller = Task { try await client.caughtUp() }
        try await until { pauses.underWay == [.minutes(60)] }
        server.clock.advance(by: .minutes(-60))
        server.mend()
        await client.networkChanged()
        try await caller.value
    }

    @Test("If a busy server is to be told of a log-out, networkChanged() does not shorten the pause") func farewell()
        async throws
    {
        let client = try client()
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 3_600) { $0 == "/v1/session" }
        try await client.session.logOut()
        func farewells() -> Int { server.requests.count { $0.path == "/v1/session" } }
        try await running(client) {
            try await until { pauses.underWay == [.minutes(60)] }
            let sent = farewells()
            await client.networkChanged()
            for _ in 0..<1_000 { await Task.yield() }
            #expect(pauses.underWay == [.minutes(60)])
            #expect(farewells() == sent)
        }
    }

    @Test("A rate that was set before the loop begins applies to the loop") func rateBefore() async throws {
        let client = try KithClient(
            replica: try Replica(.inMemory, dependencies: pauses.dependencies(server.clock)), transport: server,
            credentials: InMemoryCredentialStore(), rate: .off)
        client.setSyncRate(.default)
        try await running(client) { try await until { try await client.status().hasSynced } }
    }

    @Test("A session that opens while the loop is idle leads to a round") func opened() async throws {
        let client = try client()
        try await client.syncNow()
        try await client.session.logOut()
        let list = try await client.lists.create("Groceries").id
        try await running(client) {
            // The loop has nothing to do: whoever has logged out makes no round.
            for _ in 0..<1_000 { await Task.yield() }
            try await client.session.open()
            try await until { server.change { $0.fields(list, in: list) } != nil }
        }
    }

    @Test("When the loop begins, a server that was the wrong one before is asked at once; a busy one is not")
    func anotherServer() async throws {
        let client = try client()
        try await client.syncNow()
        let home = server.change(\.server)
        server.change { $0.server = ServerID("01900000-0000-7000-8000-00000000000f") }
        let later = try KithClient(
            replica: client.replica, transport: server, credentials: client.credentials)
        #expect(await code { try await later.syncNow() } == .otherServer)
        #expect(try client.replica.readNow { $0.account.schedule.retryAt } != nil)
        server.change { $0.server = home }
        try await running(later) { try await until { try await later.status().lastError == nil } }
        server.refuse(503, .busy, retryAfter: 120) { $0 == "/v1/sync" }
        #expect(await code { try await later.syncNow() } == .busy)
        server.mend()
        let rounds = server.rounds.count
        try await running(later) {
            _ = try await server.stream(of: later)
            try await until { pauses.underWay.contains(.seconds(120)) }
        }
        #expect(server.rounds.count == rounds)
        #expect(try client.replica.readNow { $0.account.schedule.attempt } == 1)
    }

    @Test("A pinned client syncs its store while it runs, and opens no session for the userless one") func oneStore()
        async throws
    {
        let client = try client()
        let list = try await client.lists.create("Groceries").id
        try await client.syncNow()
        let me = try present(await client.session.account())
        func pinned(_ scope: AccountScope) throws -> KithClient {
            let replica = try Replica(
                .open(client.replica.database), dependencies: pauses.dependencies(server.clock, seed: 2), scope: scope)
            return try KithClient(replica: replica, transport: server, credentials: client.credentials)
        }
        let own = try pinned(.account(me))
        try await own.lists.add("Milk", to: list)
        try await running(own) { try await until { server.change { $0.titles(in: list) } == ["Milk"] } }
    }

    @Test("If a server always has more, the number of rounds is limited") func mostRounds() async throws {
        server.wire.change = { $1.more = true }
        let client = try KithClient(
            replica: try Replica(.inMemory, dependencies: pauses.dependencies(server.clock)), transport: server,
            credentials: InMemoryCredentialStore(), mostRounds: 3)
        #expect(await code { try await client.syncNow() } == .busy)
        #expect(server.rounds.count == 3)
    }
}
