import Foundation
import Kith
import KithModel
import Testing

/// Each test holds the answer of a round, lets something happen, and then lets the answer go.
///
/// The clock stands, so no poll and no timer starts a round: only what happened can.
@Suite("Events during a round lead to another round", .timeLimit(.minutes(15)))
struct RoundUnderWayTests {
    private typealias Stream = AsyncThrowingStream<ServerEvent, any Error>.Continuation

    private let phone: Phone
    private let list: ListID
    private let gate = AnswerGate()
    private let ada = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 1))

    init() async throws {
        (phone, list) = try await Phone.withList()
        let me = try present(await phone.client.session.account())
        let (friend, now) = (ada, phone.clock.now)
        phone.server.change {
            $0.write(.contacts, friend.retyped(), ["wish": "connect", "asked": 1], in: me.retyped(), at: now)
        }
        try await phone.client.syncNow()
    }

    // MARK: What can happen

    @Test("A signal of the live stream starts another round, whatever events came before it") func moved()
        async throws
    {
        try await duringRound { stream in
            var items = phone.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            othersAddMilk()
            for _ in 0..<3 { phone.client.setSyncRate(.default) }
            stream.yield(ServerEvent(name: "moved", data: "{}"))
            try await allIsRead(of: stream)
            gate.open()
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
        }
        #expect(gate.most == 1)
    }

    @Test("Setting the rate to off and back starts another round, whatever events follow")
    func offAndOn() async throws {
        try await duringRound { _ in
            var items = phone.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            othersAddMilk()
            for rate in [SyncRate.off, .default, .default, .default] { phone.client.setSyncRate(rate) }
            gate.open()
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
        }
        #expect(gate.most == 1)
    }

    @Test("A broken live stream starts another round, because a signal may have been lost") func brokenStream()
        async throws
    {
        try await duringRound { stream in
            var items = phone.lists.itemChanges().makeAsyncIterator()
            _ = await items.next()
            try await allIsRead(of: stream)
            othersAddMilk()
            phone.server.wire.refusesStreams = true
            stream.finish()
            // The client has noticed the end: nobody's presence is known any more.
            try await until { try await phone.client.network.presences().isEmpty }
            gate.open()
            #expect(await items.next()?.added.map(\.title) == ["Milk"])
        }
        #expect(gate.most == 1)
    }

    @Test("An edit is sent by another round, at once") func edit() async throws {
        try await duringRound { _ in
            try await phone.lists.add("Tea", to: list)
            gate.open()
            await status { $0.waiting == 0 }
            #expect(phone.server.change { $0.titles(in: list) } == ["Tea"])
        }
        #expect(gate.most == 1)
    }

    @Test("An edit that is made while a round fails is sent when the server is back") func editBeforeFailure()
        async throws
    {
        try await duringRound { _ in
            try await phone.lists.add("Tea", to: list)
            gate.lose()
            await status { $0.lastError?.code == .offline }
            gate.open()
            // The time of the next attempt comes, and an event has the engine look at the clock.
            phone.clock.advance(by: .minutes(2))
            phone.client.setSyncRate(.default)
            await status { $0.waiting == 0 && $0.lastError == nil }
            #expect(phone.server.change { $0.titles(in: list) } == ["Tea"])
        }
        #expect(gate.most == 1)
    }

    @Test("syncNow waits for the running round, and then makes its own") func syncNow() async throws {
        try await duringRound { _ in
            othersAddMilk()
            let hasReturned = Switch()
            let asked = Task { [client = phone.client] in
                try await client.syncNow()
                hasReturned.isOn = true
            }
            // An engine that joined the round, or made a second one beside it, would have had the time to.
            for _ in 0..<1_000 { await Task.yield() }
            #expect(!hasReturned.isOn)
            #expect(gate.held == 1)
            gate.open()
            try await asked.value
            #expect(try await phone.titles(in: list) == ["Milk"])
        }
        #expect(gate.most == 1)
    }

    @Test("Concurrent callers get one round at a time, and everything is sent") func oneAtATime()
        async throws
    {
        try await duringRound { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<12 {
                    group.addTask { [phone, list] in
                        try await phone.lists.add("Item \(index)", to: list)
                        try await phone.client.syncNow()
                    }
                }
                gate.open()
                try await group.waitForAll()
            }
            #expect(try await phone.waiting() == 0)
            #expect(phone.server.change { $0.titles(in: list).count } == 12)
        }
        #expect(gate.most == 1)
    }

    // MARK: The round

    /// Runs the client, has its engine begin a round, and runs `body` while the answer of that round is held.
    private func duringRound(_ body: (Stream) async throws -> Void) async throws {
        let before = phone.server.rounds.count
        phone.server.wire.meanwhile = { [gate] _ in try await gate.pass() }
        let loop = Task { [client = phone.client] in await client.run() }
        defer {
            gate.open()
            loop.cancel()
        }
        // The engine's first round, and the one for what was missed before the stream opened.
        try await until { phone.server.rounds.count >= before + 2 }
        try await until { try await !phone.client.status().isSyncing }
        gate.close()
        let device = try phone.account().device
        let stream = try #require(phone.server.stream(of: device))
        stream.yield(ServerEvent(name: "moved", data: "{}"))
        try await until { gate.held == 1 }
        try await body(stream)
        gate.open()
        loop.cancel()
        await loop.value
    }

    /// Somebody else adds an item, which the answer that is held does not have. Nobody is told.
    private func othersAddMilk() {
        let now = phone.clock.now
        phone.server.change {
            let id = RecordID<Never>(UUID(high: 0x0190_0000_0000_7000, low: 2))
            $0.write(.items, id, ["title": "Milk", "position": "a0"], in: list.retyped(), at: now)
        }
    }

    /// Returns once the client has read everything that the stream has told so far.
    private func allIsRead(of stream: Stream) async throws {
        let event = PresenceEvent(isWhole: true, people: [.init(account: ada, presence: Presence(.online))])
        let data = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        stream.yield(ServerEvent(name: "presence", data: data))
        try await until { try await !phone.client.network.presences().isEmpty }
    }

    private func status(is wanted: (SyncStatus) -> Bool) async {
        for await status in phone.client.liveStatus() where wanted(status) { return }
    }
}
