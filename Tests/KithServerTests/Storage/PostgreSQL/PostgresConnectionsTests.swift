import KithServer
import Testing

@Suite("What a thread without a connection to PostgreSQL does") struct PostgresConnectionsTests {
    private var connections = PostgresConnections()
    private var now = ContinuousClock.now
    private let full = PostgresFailure(lost: "FATAL: sorry, too many clients already")

    /// The words of the failure with which a transaction fails; nil if it does not.
    private mutating func words() -> String? {
        if case .fail(let failure) = connections.step(at: now) { failure.words } else { nil }
    }

    @Test("It connects with its transaction, also beside others") mutating func connects() {
        for _ in 0..<3 {
            let step = connections.step(at: now)
            #expect(step == .connect)
            connections.opened()
        }
        #expect(connections.open == 3)
    }

    @Test("While others are connected, it gives the transaction back, and tries later without one")
    mutating func givesBack() {
        connections.opened()
        let failed = connections.failed(full, at: now)
        #expect(failed.giveBack == PostgresBackoff.shortest && failed.isReported)
        let soon = connections.step(at: now)
        #expect(soon == .giveBack(PostgresBackoff.shortest))
        let early = connections.mayConnect(at: now)
        #expect(!early)
        now += PostgresBackoff.shortest
        // No transaction waits for an attempt that will probably fail, too.
        let later = connections.step(at: now)
        #expect(later == .giveBack(.zero))
        let mayTry = connections.mayConnect(at: now)
        #expect(mayTry, "One thread may.")
        let another = connections.mayConnect(at: now)
        #expect(!another)
        connections.opened()
        let mended = connections.step(at: now)
        #expect(mended == .connect)
    }

    @Test("If none is connected, the transaction fails, with PostgreSQL's words also between the attempts")
    mutating func fails() {
        let failed = connections.failed(full, at: now)
        #expect(failed.giveBack == nil && !failed.isReported)
        let words = words()
        #expect(words == full.words)
        now += PostgresBackoff.shortest
        let next = connections.step(at: now)
        #expect(next == .connect)
    }

    @Test("When the last connection ends, nothing is given back any more") mutating func lastEnds() {
        connections.opened()
        _ = connections.failed(full, at: now)
        connections.closed()
        let words = words()
        #expect(words == full.words)
    }

    @Test("A shortage is reported once, and again if it was over, at most once a minute") mutating func reports() {
        connections.opened()
        var reports: [Bool] = []
        for (seconds, isOver) in [(0, false), (100, true), (1, true), (1, true), (60, true)] {
            now += .seconds(seconds)
            reports.append(connections.failed(full, at: now).isReported)
            if isOver { connections.opened() }
        }
        #expect(reports == [true, false, true, false, true])
    }
}
