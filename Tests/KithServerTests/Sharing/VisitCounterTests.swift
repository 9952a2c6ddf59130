import Foundation
import KithModel
import KithServer
import Testing

@Suite("The counting of visits") struct VisitCounterTests {
    private let world: SharingWorld
    private let visits = VisitCounter()
    private let code: ShareCode

    init() throws {
        world = try SharingWorld(#""shares":{"kiosk":{"text":{"en":"{{link}}"}}}"#)
        code = try ShareCode("ADA-TEA")
    }

    private func visit(
        _ typed: String? = nil, by channel: String = "link", from network: String = "192.0.2.0",
        _ agent: String = "Mozilla/5.0"
    ) throws {
        let channel = try #require(ShareChannel(rawValue: channel))
        visits.note(
            try typed.map { try ShareCode($0) } ?? code, in: "friends", by: channel, from: ClientNetwork(network), agent
        )
    }

    private func store() async throws { try await visits.write(to: world.town.database, at: world.town.now) }

    private func count(_ channel: String? = nil) async throws -> Int {
        let funnel = try await FunnelService(database: world.town.database).funnel()
        return funnel.total(.visited, channel: channel.flatMap { ShareChannel(rawValue: $0) })
    }

    private func hashes() throws -> Set<Data> {
        let rows = try world.town.database.readNow { try $0.query("SELECT hash FROM visit") }
        return Set(try rows.map { try $0.bytes(0) })
    }

    private func hasKey() throws -> Bool {
        try world.town.database.readNow { try !$0.query("SELECT 1 FROM meta WHERE name = 'visitKey'").isEmpty }
    }

    @Test("A visitor counts once a day for each code, and another network or browser is another visitor")
    func once() async throws {
        for _ in 1...3 { try visit() }
        try visit("ada tea")
        try await store()
        #expect(try await count() == 1)
        try visit(by: "email")
        try await store()
        #expect(try await count() == 1)
        try visit("BEN-TEA")
        try visit(from: "192.0.3.0")
        try visit(from: "192.0.2.0", "Mozilla/5.0 (another)")
        try await store()
        #expect(try await count() == 4)
        world.town.pass(.days(1))
        try visit()
        try await store()
        #expect(try await count() == 5)
    }

    @Test("A restart of the server counts nobody twice") func restart() async throws {
        try visit()
        try await store()
        let restarted = VisitCounter()
        restarted.note(code, in: "friends", by: .link, from: ClientNetwork("192.0.2.0"), "Mozilla/5.0")
        try await restarted.write(to: world.town.database, at: world.town.now)
        #expect(try await count() == 1)
    }

    @Test("Noting a visit writes nothing, and without visits nothing is written") func batches() async throws {
        let counting = CountingDatabase(world.town.database)
        try await visits.write(to: counting, at: world.town.now)
        #expect(counting.statements.isEmpty)
        for index in 0..<10 { try visit(from: "192.0.\(index).0") }
        try await visits.write(to: counting, at: world.town.now)
        #expect(counting.statements.filter { $0.contains("INTO funnel") }.count == 1)
        counting.reset()
        try await visits.write(to: counting, at: world.town.now)
        #expect(counting.statements.isEmpty)
        #expect(try await count() == 10)
    }

    @Test("Visits that cannot be stored are stored later") func failure() async throws {
        try visit()
        let (visits, now) = (visits, world.town.now)
        let full = BrokenDatabase(error: ServerError(.busy, "The disk is full."))
        await #expect(throws: ServerError.self) { try await visits.write(to: full, at: now) }
        try visit()
        try await store()
        #expect(try await count() == 1)
    }

    @Test("Nobody can fill the funnel with channels: one that nobody has shared by counts as the link")
    func channels() async throws {
        try visit("AAA", by: "email")
        try visit("BBB", by: "kiosk")
        try visit("CCC", by: "made-up")
        try await store()
        var counts: [Int] = []
        for channel in ["email", "kiosk", "made-up", "link"] { counts.append(try await count(channel)) }
        #expect(counts == [1, 1, 0, 1])
        let (madeUp, now) = (try #require(ShareChannel(rawValue: "made-up")), world.town.now)
        try world.town.database.writeNow { try Funnel.count(.shared, of: "friends", by: madeUp, at: now, in: $0) }
        try visit("DDD", by: "made-up")
        try await store()
        #expect(try await count("made-up") == 1)
    }

    @Test("The same visitor has another hash on another day, and the key and the hashes of a day are deleted after it")
    func days() async throws {
        try visit()
        try await store()
        let first = try hashes()
        try await world.town.purge()
        #expect(try hashes() == first && hasKey() && first.count == 1)
        world.town.pass(.days(1))
        try await world.town.purge()
        #expect(try hashes().isEmpty && !hasKey())
        try visit()
        try await store()
        #expect(try hashes().count == 1 && hashes().isDisjoint(with: first))
        #expect(try await count() == 2)
    }

    @Test("Trap: Housekeeping deletes a key of yesterday that a visit replaces meanwhile – the new one stays")
    func replaced() async throws {
        try visit()
        try await store()
        world.town.pass(.days(1))
        let overtaken = OvertakenDatabase(world.town.database) { sql, transaction in
            guard sql.hasPrefix("DELETE FROM meta") else { return }
            try transaction.execute("UPDATE meta SET value = '30000 AAAA' WHERE name = 'visitKey'", [])
        }
        try await Housekeeping(database: overtaken, signals: .none).purge(world.town.now)
        #expect(try hasKey())
    }
}
