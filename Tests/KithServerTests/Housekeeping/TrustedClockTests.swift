import KithModel
import KithServer
import Testing

@Suite("The trusted clock") struct TrustedClockTests {
    private let database: SQLiteDatabase
    private let clock = HandClock()
    private let log = LogKeeper()
    private let trusted: TrustedClock
    private let start = HandClock.start

    init() throws {
        database = try SQLiteDatabase.inMemory()
        trusted = TrustedClock(clock.server, database, log.logger)
    }

    /// When a server has last trusted its clock.
    private var last: Timestamp? {
        get throws {
            try database.readNow { try $0.query("SELECT value FROM meta WHERE name = 'clock'").first?.text(0) }
                .flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        }
    }

    @Test("A clock that is ahead is not trusted, not stored, and reported once") func ahead() async throws {
        #expect(try await trusted.check(start))
        for _ in 0..<2 { #expect(try await !trusted.check(start + .days(30))) }
        #expect(try last == start)
        let lines = log.text.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("days later than expected") && lines[0].contains("days=30"))
    }

    @Test("Another server of the database notices it, too") func later() async throws {
        #expect(try await trusted.check(start))
        #expect(try await !TrustedClock(clock.server, database, log.logger).check(start + .days(30)))
        #expect(try last == start)
    }

    @Test("A time that is trusted is stored once an hour, and when the clock was set back") func stored() async throws {
        #expect(try await trusted.check(start))
        #expect(try await trusted.check(start + .minutes(59)))
        #expect(try last == start)
        #expect(try await trusted.check(start + .minutes(60)))
        #expect(try last == start + .minutes(60))
        #expect(try await trusted.check(start - .days(5)))
        #expect(try last == start - .days(5))
        #expect(log.text.isEmpty)
    }
}
