import KithModel
import KithServer
import Synchronization
import Testing

@Suite("When a session was last used") struct SessionUsesTests {
    @Test("It is stored in whole hours, and at most once an hour") func coarse() async throws {
        let world = try SignInWorld()
        let uses = SessionUses()
        let session = try await world.open()
        let hash = Secret.sha256(session.token)
        func lastUsed() async throws -> Timestamp? {
            try await world.sessions.list(of: session.account, by: session.token).sessions.first?.lastUsed
        }
        let opened = try #require(try await lastUsed())
        #expect(opened == SessionUses.hour(of: world.now) && opened.milliseconds % 3_600_000 == 0)
        // In the hour in which it was opened, nothing is written.
        uses.note(hash, stored: opened, at: opened + .seconds(3599))
        let counting = CountingDatabase(world.database)
        try await uses.write(to: counting)
        #expect(counting.statements.isEmpty)
        for minute in 0..<60 { uses.note(hash, stored: opened, at: opened + .seconds(3600 + 60 * minute)) }
        try await uses.write(to: counting)
        try await uses.write(to: counting)
        #expect(counting.statements.count == 1)
        #expect(try await lastUsed() == opened + .seconds(3600))
    }

    @Test("Trap: A use that was stored while the clock was ahead stays – the next use replaces it") func clockAhead()
        async throws
    {
        let world = try SignInWorld()
        let uses = SessionUses()
        let session = try await world.open()
        let ahead = SessionUses.hour(of: world.now) + .days(365)
        try await world.database.write { try $0.execute("UPDATE session SET used = ?", [.time(ahead)]) }
        uses.note(Secret.sha256(session.token), stored: ahead, at: world.now)
        try await uses.write(to: world.database)
        let sessions = try await world.sessions.list(of: session.account, by: session.token).sessions
        #expect(sessions.first?.lastUsed == SessionUses.hour(of: world.now))
        // Another server's clock is a little ahead.
        let counting = CountingDatabase(world.database)
        let next = SessionUses.hour(of: world.now) + SessionUses.precision
        uses.note(Secret.sha256(session.token), stored: next, at: world.now)
        try await uses.write(to: counting)
        #expect(counting.statements.isEmpty)
    }

    @Test("A session of an older server has no time until it is used") func older() async throws {
        let world = try SignInWorld()
        let uses = SessionUses()
        let session = try await world.open()
        try await world.database.write { try $0.execute("UPDATE session SET used = NULL") }
        func lastUsed() async throws -> Timestamp? {
            try await world.sessions.list(of: session.account, by: session.token).sessions.first?.lastUsed
        }
        #expect(try await lastUsed() == nil)
        uses.note(Secret.sha256(session.token), stored: nil, at: world.now)
        try await uses.write(to: world.database)
        #expect(try await lastUsed() == SessionUses.hour(of: world.now))
    }

    @Test("Many are stored a thousand at a time, so that rounds can run between them") func many() async throws {
        let world = try SignInWorld()
        let uses = SessionUses()
        for number in 0...1_000 { uses.note(Secret.sha256("\(number)"), stored: nil, at: world.now) }
        let counting = CountingDatabase(world.database)
        let writes = Mutex(0)
        try await uses.write(to: InterruptedDatabase(counting) { number in writes.withLock { $0 = number } })
        #expect(counting.statements.count == 1_001)
        #expect(writes.withLock(\.self) == 2)
    }
}
