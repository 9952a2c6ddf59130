import KithModel
import KithServer
import Testing

@Suite("The background job of sharing") struct SharingWorkTests {
    private let world: SharingWorld
    private var ada: Phone

    init() throws {
        world = try SharingWorld(#""shares":{"email":{"subject":{"en":"Try it"},"text":{"en":"{{code}} {{link}}"}}}"#)
        ada = try world.person("Ada")
        try ada.sync(ada.shareable("ADA-TEA"))
        try world.work()
    }

    /// A service that cannot send its first email, because there is no link for it.
    private func service(on database: any Database) -> SharingService {
        let links = LinksAfterFirst()
        let dependencies = SharingDependencies(
            messages: world.queue, link: { links.link($0.address(server: "https://kith.example")) })
        return SharingService(database: database, signals: .none, dependencies: dependencies)
    }

    @Test(
        """
        Trap: Two nodes fail with the same entry, and each lets the one wait that is next now – only the entry that \
        has failed waits
        """)
    mutating func poison() async throws {
        try ada.sync(ada.share(.email, to: "mailto:first@example.com"))
        world.town.pass(.seconds(1))
        try ada.sync(ada.share(.email, to: "mailto:second@example.com"))
        let (database, now) = (world.town.database, world.town.now)
        // Before this node lets the first share wait, the other one has done so.
        let overtaken = InterruptedDatabase(database) { write in
            guard write == 2 else { return }
            try database.writeNow { transaction in
                try transaction.execute(
                    "UPDATE sharing_work SET due = ? WHERE due = (SELECT min(due) FROM sharing_work)",
                    [.time(now + .seconds(3_600))])
            }
        }
        let service = service(on: overtaken)
        #expect(await errorCode { try await service.work(at: now) } == .malformed)
        #expect(try world.messages().count == 1, "The second share is sent.")
        #expect(try world.count("sharing_work") == 1)
        let later = now + .seconds(3_600)
        try await service.work(at: later)
        #expect(try world.messages().count == 2)
    }

    @Test("An entry that fails here and is done by another node meanwhile is not done twice")
    mutating func done() async throws {
        try ada.sync(ada.share(.email, to: "mailto:first@example.com"))
        let (database, dependencies, now) = (world.town.database, world.dependencies, world.town.now)
        let overtaken = InterruptedDatabase(database) { write in
            if write == 2 { try SharingService.workNow(dependencies, at: now, on: database) }
        }
        let service = service(on: overtaken)
        #expect(await errorCode { try await service.work(at: now) } == .malformed)
        #expect(try world.messages().count == 1 && world.count("sharing_work") == 0)
    }

    @Test("Trap: One account shares hundreds of times – what others share does not wait behind it")
    mutating func flood() async throws {
        for _ in 0..<3 { try ada.sync(ada.share(.link)) }
        let shares = try (0..<300).map { _ in try ada.share(.link) }
        try ada.sync(shares)
        world.town.pass(.seconds(30))
        var ben = try world.person("Ben")
        try ben.sync(ben.shareable("BEN-TEA"))
        try ben.sync(ben.share(.email, to: "mailto:friend@example.com"))
        let stopping = InterruptedDatabase(world.town.database) { write in if write > 2 { throw Stopped() } }
        let service = SharingService(database: stopping, signals: .none, dependencies: world.dependencies)
        let now = world.town.now
        await #expect(throws: Stopped.self) { try await service.work(at: now) }
        #expect(try world.messages().count == 1)
        try world.work()
        #expect(try world.count("sharing_work") == 0)
    }

    @Test("Trap: An identity waits to be stored, and its owner uses a code with another account – it comes first")
    mutating func identity() throws {
        let ben = try world.person("Ben")
        try world.prove("mailto:ben@example.com", by: ben)
        try world.town.prove("mailto:ben@example.net", by: ben)
        var other = try world.person("Ben")
        try other.sync(other.use("ADA-TEA"))
        let kinds = try world.town.database.readNow { transaction in
            try transaction.query("SELECT kind FROM sharing_work ORDER BY due").map { try $0.text(0) }
        }
        #expect(kinds == ["identity", "claim"])
    }

    private struct Stopped: Error {}

    private static let damage: [String: String] = [
        "sign_up": "(account, joined, due) VALUES (X'010203', 0, 0)",
        "sharing_work": "(account, record, kind, due) VALUES (X'010203', X'010203', 'share', 0)",
        "referral": SharingWorld.damagedReferral,
    ]

    @Test(
        "Trap: A row of the job is damaged – the error names it, it waits, and holds up nothing else",
        arguments: Self.damage.keys.sorted())
    mutating func damaged(table: String) async throws {
        let row = try #require(Self.damage[table])
        try world.town.execute("INSERT INTO \(table) \(row)")
        try ada.sync(ada.share(.email, to: "mailto:ben@example.com"))
        let (database, now) = (world.town.database, world.town.now)
        let service = SharingService(database: database, signals: .none, dependencies: world.dependencies)
        let error = await #expect(throws: ServerError.self) { try await service.work(at: now) }
        #expect(error?.code == .busy && error?.description.contains("(table \(table), id x'010203'") == true)
        #expect(try world.messages().count == 1)
        let due = try database.readNow { transaction in
            try transaction.query("SELECT due FROM \(table)").map { try $0.optionalTime(0) }
        }
        #expect(due.contains(now + .seconds(3_600)))
        try await service.work(at: now)
    }

    @Test("Trap: A newer node has given an order of a kind that is unknown here – it stays, and all others are done")
    mutating func newerKind() async throws {
        let (order, due): (RecordID<Never>, Timestamp) = (world.town.id(), world.town.now)
        try world.town.execute(
            "INSERT INTO sharing_work (account, record, kind, due) VALUES (?, ?, 'newer', ?)",
            [.id(ada.account), .id(order), .time(due)])
        world.town.pass(.seconds(1))
        try ada.sync(ada.share(.email, to: "mailto:ben@example.com"))
        let (database, now) = (world.town.database, world.town.now)
        let service = SharingService(database: database, signals: .none, dependencies: world.dependencies)
        try await service.work(at: now)
        #expect(try world.messages().count == 1)
        let rows = try world.town.database.readNow { try $0.query("SELECT kind, due FROM sharing_work") }
        #expect(try rows.map { try $0.text(0) } == ["newer"] && rows.map { try $0.time(1) } == [due])
    }
}
