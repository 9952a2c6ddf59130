import Kith
import KithModel
import Testing

/// Whoever hands in the randomness decides every pause, so that a whole world can run under one seed.
@Suite("Pauses come from the client's random source", .timeLimit(.minutes(15)))
struct PauseRandomnessTests {
    @Test("The same seed gives the same pauses after failed rounds, and another seed gives others") func rounds()
        async throws
    {
        let first = try await pausesAfterFailedRounds(seed: 1)
        #expect(first.count == 10)
        #expect(try await pausesAfterFailedRounds(seed: 1) == first)
        #expect(try await pausesAfterFailedRounds(seed: 2) != first)
    }

    private func pausesAfterFailedRounds(seed: UInt64) async throws -> [Duration] {
        let (phone, list) = try await Phone.withList(seed: seed)
        try await phone.lists.add("Milk", to: list)
        phone.server.goAway()
        var pauses: [Duration] = []
        for _ in 0..<10 {
            #expect(await code { try await phone.client.syncNow() } == .offline)
            let retryAt = try #require(try phone.account().schedule.retryAt)
            pauses.append(retryAt - phone.clock.now)
        }
        return pauses
    }

    @Test("The same seed gives the same pauses before the server learns of a log-out, and another seed gives others")
    func farewells() async throws {
        let first = try await pausesBeforeFarewell(seed: 1)
        #expect(first.count == 8)
        #expect(try await pausesBeforeFarewell(seed: 1) == first)
        #expect(try await pausesBeforeFarewell(seed: 2) != first)
    }

    private func pausesBeforeFarewell(seed: UInt64) async throws -> [Duration] {
        let server = FakeServer()
        let pauses = Kept<[Duration]>([])
        let dependencies = Dependencies(
            now: { [clock = server.clock] in clock.now }, random: RandomSource(SplitMix64(seed: seed)),
            pause: { pause in
                pauses.change { $0.append(pause) }
                // After enough of them the client stays here until it is stopped.
                if pauses.value.count >= 8 { try await Task.sleep(for: .seconds(3_600)) }
            })
        let client = try client(server, dependencies)
        try await client.syncNow()
        server.goAway()
        try await client.session.logOut()
        try await running(client) { try await until { pauses.value.count >= 8 } }
        return Array(pauses.value.prefix(8))
    }

    @Test("The pause before a live stream is reopened comes from it") func liveStreams() async throws {
        let server = FakeServer()
        let transport = CountedStreams(server)
        let draws = Kept(0)
        let random = RandomSource(CountedDraws(draws: draws, generator: SplitMix64(seed: 1)))
        let client = try client(transport, Dependencies(now: { [clock = server.clock] in clock.now }, random: random))
        try await client.syncNow()
        server.wire.refusesStreams = true
        let before = draws.value
        // Rounds that succeed draw nothing.
        try await client.syncNow()
        #expect(draws.value == before)
        try await running(client) {
            try await until { transport.asked.value >= 2 }
            #expect(draws.value > before)
        }
    }

    private func client(_ transport: some Transport, _ dependencies: Dependencies) throws -> KithClient {
        try KithClient(
            replica: try Replica(.inMemory, dependencies: dependencies), transport: transport,
            credentials: InMemoryCredentialStore())
    }
}

/// A seeded generator that counts what is drawn from it.
private struct CountedDraws: RandomNumberGenerator, Sendable {
    let draws: Kept<Int>
    var generator: SplitMix64

    mutating func next() -> UInt64 {
        draws.change { $0 += 1 }
        return generator.next()
    }
}

/// The way to a server that counts how often a live stream was asked for.
private final class CountedStreams: Transport {
    let asked = Kept(0)
    private let server: FakeServer

    init(_ server: FakeServer) { self.server = server }

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await server.send(request) }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        asked.change { $0 += 1 }
        return server.events(request)
    }
}
