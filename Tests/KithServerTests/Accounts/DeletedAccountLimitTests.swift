import KithModel
import KithServer
import Testing

@Suite("Limits stay when the account is deleted that has used them up") struct DeletedAccountLimitTests {
    @Test("Codes that a network has requested count, whatever becomes of the accounts") func network() async throws {
        let world = try SignInWorld { $0.limits.ofNetwork = 2 }
        for number in 0..<2 {
            let eve = try await world.open()
            try await world.request("ada\(number)@example.com", by: eve)
            try await AccountService(database: world.database, signals: .none).delete(eve.account, at: world.now)
        }
        let eve = try await world.open()
        #expect(await errorCode { try await world.request("ada2@example.com", by: eve) } == .quotaExceeded)
        try await world.request("ada2@example.com", by: eve, from: "198.51.100.9")
    }

    @Test("The network of a code is stored as a hash only") func hashed() async throws {
        let world = try SignInWorld()
        let ada = try await world.open()
        try await world.request("ada@example.com", by: ada, from: "203.0.113.7")
        let stored = try await world.database.read { try $0.query("SELECT network FROM code").map { try $0.text(0) } }
        #expect(stored.count == 1 && stored.first?.contains("203") == false)
    }

    @Test("Invitations that a recipient has received count, whatever becomes of their senders") func recipient()
        async throws
    {
        let world = try MessageWorld()
        for number in 1...5 as ClosedRange<UInt8> {
            let eve = AccountID.numbered(number)
            #expect(try await world.add(.invitation(number, by: eve)) == .queued)
            try await world.lane().run()
            try await world.database.write { try MessageQueue.remove(of: eve, in: $0) }
        }
        let next = try await world.add(.invitation(6, by: .numbered(6)))
        #expect(next == .failed(MessageFailure(.recipientLimit)))
        #expect(world.gateway.received.count == 5)
    }

    @Test("What stays of a deleted account’s messages names neither it nor their recipients") func anonymous()
        async throws
    {
        let world = try MessageWorld()
        world.gateway.answer(.accepted, .refusedForNow("451 later"))
        let eve = AccountID.numbered(9)
        for number in 1...3 as ClosedRange<UInt8> { try await world.add(.invitation(number, by: eve)) }
        let lane = world.lane()
        try await lane.run()
        try await world.add(.invitation(4, by: eve))
        try await world.database.write { try MessageQueue.remove(of: eve, in: $0) }
        let rows = try await world.database.read { transaction in
            try transaction.query("SELECT recipient, sender IS NULL FROM message")
                .map { "\(try $0.text(0)) \(try $0.integer(1))" }
        }
        #expect(rows == [" 1", " 1", " 1"], "The fourth was never attempted.")
        #expect(try await world.contentOfQueue() == 0)
        world.clock.advance(.days(1))
        try await lane.run()
        #expect(world.gateway.received.count == 3, "The one that was refused for now is not tried again.")
    }
}
