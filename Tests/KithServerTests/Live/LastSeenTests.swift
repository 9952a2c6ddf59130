import KithModel
import KithServer
import Testing

@Suite("The time when somebody was last seen") struct LastSeenTests {
    @Test("Trap: A time that was stored while the clock was ahead stays – the next one replaces it") func clockAhead()
        async throws
    {
        let world = try SignInWorld()
        let account = try await world.open().account
        let now = world.now
        func write(_ seen: Timestamp) async throws -> Timestamp? {
            try await world.database.write { transaction in
                try LastSeen.write([account: seen], in: transaction)
                let row = try transaction.query("SELECT seen_at FROM account WHERE id = ?", [.id(account)]).first
                return try row?.optionalTime(0)
            }
        }
        #expect(try await write(now + .days(365)) == now + .days(365))
        #expect(try await write(now) == now)
        #expect(try await write(now - .days(1)) == now, "A little later may be right.")
    }
}
