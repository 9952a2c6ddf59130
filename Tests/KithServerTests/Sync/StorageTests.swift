import KithModel
import KithServer
import Testing

@Suite("The space of an account") struct StorageTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    /// The feeds whose bytes are not those of their records, and the accounts whose blocks are not those of their
    /// feeds.
    private func miscounted() throws -> Int {
        try town.database.readNow { transaction in
            let feeds = try transaction.query(
                """
                SELECT id FROM feed WHERE bytes <> (SELECT COALESCE(SUM(LENGTH(CAST(fields AS BLOB))), 0)
                FROM record WHERE record.feed = feed.id)
                """)
            let accounts = try transaction.query(
                """
                SELECT account.id FROM account LEFT JOIN storage ON storage.account = account.id
                WHERE COALESCE(storage.blocks, 0) <> (SELECT COALESCE(SUM((feed.bytes + 65535) / 65536), 0)
                FROM access JOIN feed ON feed.id = access.feed
                WHERE access.account = account.id AND access.role = 'owner')
                """)
            return feeds.count + accounts.count
        }
    }

    @Test(
        "Law 10: The bytes of a feed are those of its live records, whatever is made, edited, removed and purged",
        arguments: 0..<5 as Range<UInt64>)
    mutating func counted(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var items: [RecordID<Never>] = []
        for _ in 0..<60 {
            let title = String(repeating: ["é", "tea ", "👩‍👩‍👧 "].randomElement(using: &random) ?? "", count: 20)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                items.append(town.id())
                try ada.sync(ada.item(items[items.count - 1], title, in: list))
            case 2:
                guard let item = items.randomElement(using: &random) else { continue }
                let seen = try town.record(list, item)?.state.sequence ?? 0
                try ada.sync(ada.mutation(list, .items, item, .set(["title": .text(title)]), seen: seen))
            default:
                guard let item = items.randomElement(using: &random) else { continue }
                try ada.sync(ada.mutation(list, .items, item, .delete))
            }
            #expect(try miscounted() == 0)
        }
        try await Housekeeping(database: town.database, signals: .none).purge(
            town.now + Limits.tombstones + .seconds(1))
        #expect(try miscounted() == 0)
    }

    @Test(
        "When an account's space is used up, edits of its records are rejected, whoever makes them; removing makes room"
    )
    mutating func full() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        let (service, terms) = (SyncService(database: town.database), SyncRound.Terms(storage: 4_000))
        func push(_ phone: inout Phone, _ mutations: [Mutation]) async throws -> [RejectionCode?] {
            let request = phone.request(mutations)
            let answer = try await service.sync(request, as: phone.account, at: town.now, under: terms).answer
            phone.apply(answer)
            return answer.outcomes.map(\.code)
        }
        let long = String(repeating: "x", count: 400)
        let items = (0..<20).map { _ in ada.item(town.id(), long, in: list) }
        // Ben's edits leave the last quarter to Ada; her own use it.
        let ofBen = (0..<20).map { _ in ben.item(town.id(), long, in: list) }
        #expect(try await push(&ben, ofBen).contains(.full))
        #expect(try await push(&ben, [ben.item(town.id(), "More", in: list)]) == [.full])
        let used = try await push(&ada, [ada.item(town.id(), "Tea", in: list)])
        #expect(used.isEmpty, "Others cannot use up an owner's space.")
        let outcomes = try await push(&ada, items)
        #expect((14...19).contains(outcomes.count) && outcomes.allSatisfy { $0 == .full })
        #expect(try await push(&ben, [ben.item(town.id(), "More", in: list)]) == [.full])
        // What Ben owns has space of its own; and who is in a list can always be said.
        #expect(try await push(&ben, [ben.create(town.id())]).isEmpty)
        #expect(try await push(&ada, [ada.role(.viewer, of: ben.account, in: list)]).isEmpty)
        let taken = ofBen.prefix(5).map { ada.mutation(list, .items, $0.record, .delete) }
        #expect(try await push(&ada, taken).isEmpty)
        #expect(try await push(&ada, [ada.item(town.id(), "Tea", in: list)]).isEmpty)
        #expect(try miscounted() == 0)
    }

    @Test("A list is not handed over to someone who has no space for it; others' lists leave a quarter free")
    mutating func handOver() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ada.sync((0..<5).map { _ in ada.item(town.id(), String(repeating: "x", count: 400), in: list) })
        let service = SyncService(database: town.database)
        let refused = try await service.sync(
            ada.request([ada.role(.owner, of: ben.account, in: list)]), as: ada.account, at: town.now,
            under: SyncRound.Terms(storage: 3_000)
        ).answer
        #expect(refused.outcomes.map(\.code) == [.full])
        ada.apply(refused)
        try ben.sync()
        let taken = try await service.sync(
            ada.request([ada.role(.owner, of: ben.account, in: list)]), as: ada.account, at: town.now,
            under: SyncRound.Terms(storage: 10_000)
        ).answer
        #expect(taken.outcomes.isEmpty)
        #expect(try miscounted() == 0)
    }

    @Test("The blocks of a list that grows and shrinks go with it to its new owner, and end with it")
    mutating func blocks() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        let long = String(repeating: "x", count: 500)
        let items = (0..<150).map { _ in ben.item(town.id(), long, in: list) }
        for step in 0..<3 {
            try ben.sync(Array(items[step * 50..<step * 50 + 50]))
            #expect(try miscounted() == 0)
        }
        try ben.sync(items.prefix(100).map { ben.mutation(list, .items, $0.record, .delete) })
        #expect(try miscounted() == 0)
        try ada.sync()
        try ada.sync(ada.role(.owner, of: ben.account, in: list))
        #expect(try miscounted() == 0)
        try ben.sync()
        try ben.sync(ben.mutation(list, .lists, list.retyped(), .delete))
        #expect(try miscounted() == 0)
    }

    @Test("An owner with plenty of space has all edits, whatever the size of a block")
    mutating func plenty() async throws {
        let long = String(repeating: "x", count: 500)
        let items = (0..<150).map { _ in ada.item(town.id(), long, in: list) }
        let request = ada.request(items)
        let counting = CountingDatabase(town.database)
        let answer = try await SyncService(database: counting).sync(request, as: ada.account, at: town.now).answer
        #expect(answer.outcomes.isEmpty && !counting.statements.contains { $0.contains("SUM(feed.bytes)") })
        #expect(try miscounted() == 0)
    }

    @Test("The space of a refused group is released")
    mutating func refusedGroup() async throws {
        let (service, terms) = (SyncService(database: town.database), SyncRound.Terms(storage: 4_000))
        let long = String(repeating: "x", count: 500)
        let gone = ada.mutation(town.id(), .items, town.id(), .set(["title": "Tea", "position": "a0"]))
        let group = (0..<5).map { _ in ada.item(town.id(), long, in: list) } + [gone]
        var request = ada.request(group + (0..<4).map { _ in ada.item(town.id(), long, in: list) })
        for index in group.indices { request.mutations[index].group = request.mutations[0].number }
        let answer = try await service.sync(request, as: ada.account, at: town.now, under: terms).answer
        let codes = answer.outcomes.map(\.code)
        #expect(codes.count == group.count && !codes.contains(.full))
    }

    // MARK: To the byte

    private func used(_ feeds: FeedID...) throws -> Int {
        try feeds.reduce(0) { $0 + Int(try town.row($1)?.bytes ?? 0) }
    }

    /// What becomes of mutations where an account may have so many bytes.
    private func outcomes(_ phone: inout Phone, _ mutations: Mutation..., storage: Int) async throws -> [String] {
        let request = phone.request(mutations)
        let answer = try await SyncService(database: town.database).sync(
            request, as: phone.account, at: town.now, under: SyncRound.Terms(storage: storage)
        ).answer
        phone.apply(answer)
        return request.mutations.map { mutation in
            answer.outcomes.first { $0.number == mutation.number }?.code?.rawValue ?? "applied"
        }
    }

    @Test("With one byte left an account can write once more, and not again in this request or the next")
    mutating func lastByte() async throws {
        let used = try used(ada.home, list)
        #expect(try await outcomes(&ada, ada.item(town.id(), in: list), storage: used) == ["full"])
        let items = (0..<2).map { _ in ada.item(town.id(), in: list) }
        #expect(try await outcomes(&ada, items[0], items[1], storage: used + 1) == ["applied", "full"])
        #expect(try await outcomes(&ada, ada.item(town.id(), in: list), storage: used + 1) == ["full"])
    }

    @Test(
        "The space counted during a request equals that of the stored record",
        arguments: [
            [:], ["comment": "A \"quoted\" line\nand a glass of 🥛"], ["ticked": true, "quantity": "2 l"],
            ["future": .array([1, "a", .null, .flag(true)]), "other": .object(["x": .number(0.5)])],
        ] as [Fields])
    mutating func exact(fields: Fields) async throws {
        let whole = fields.merging(["title": "Tea", "position": "a0"]) { $1 }
        func item() -> Mutation { ada.mutation(list, .items, town.id(), .set(whole)) }
        let empty = try used(ada.home, list)
        try ada.sync(item())
        let size = try used(ada.home, list) - empty
        #expect(try await outcomes(&ada, item(), item(), storage: empty + 2 * size) == ["applied", "full"])
        #expect(try await outcomes(&ada, item(), item(), storage: empty + 3 * size + 1) == ["applied", "applied"])
    }

    @Test("When the space is used up, edits that add no bytes, additions and names of people are still accepted")
    mutating func addsNothing() async throws {
        let item: RecordID<Never> = town.id()
        try ada.sync(ada.item(item, in: list))
        func title(_ title: FieldValue) -> Mutation { ada.mutation(list, .items, item, .set(["title": title])) }
        let used = try used(ada.home, list)
        let titles = try await outcomes(&ada, title("Teas"), title("Tee"), storage: used)
        #expect(titles == ["full", "applied"])
        let others = try await outcomes(
            &ada, ada.mutation(list, .items, item, .edit(set: [:], add: ["count": 1])),
            ada.mutation(list, .members, ada.me, .set(["name": "Ada"])),
            ada.mutation(list, .members, ada.me, .set(["colour": "blue"])), title("Milk"), title("Te"), storage: used)
        #expect(others == ["applied", "applied", "full", "full", "applied"])
    }

    @Test("The last quarter of an owner's space is the owner's, to the byte")
    mutating func quarter() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let used = try used(ada.home, list)
        let least = try #require((used...(2 * used)).first { $0 - used > $0 / 4 })
        #expect(try await outcomes(&ben, ben.item(town.id(), in: list), storage: least - 1) == ["full"])
        #expect(try await outcomes(&ben, ben.item(town.id(), in: list), storage: least) == ["applied"])
    }

    @Test("A list may use the new owner's space to the last byte, and counts there from then on")
    mutating func handOverToTheByte() async throws {
        let ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let long = String(repeating: "x", count: 400)
        try ada.sync((0..<5).map { _ in ada.item(town.id(), long, in: list) })
        let (bens, size) = (try used(ben.home), try used(list))
        let least = try #require((size...(3 * size)).first { $0 - bens - size >= $0 / 4 })
        let handOver = ada.role(.owner, of: ben.account, in: list)
        #expect(try await outcomes(&ada, handOver, storage: least - 1) == ["full"])
        // What Ben's space has left is for Ben's own edits.
        #expect(
            try await outcomes(&ada, handOver, ada.item(town.id(), in: list), storage: least) == ["applied", "full"])
    }

    @Test("Handing a list over releases its space in the same request") mutating func spaceAgain() async throws {
        let ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        let other: FeedID = town.id()
        try ada.sync(ada.create(other))
        let long = String(repeating: "x", count: 400)
        try ada.sync([list, other].flatMap { feed in (0..<5).map { _ in ada.item(town.id(), long, in: feed) } })
        let used = try used(ada.home, list, other)
        let items = (0..<2).map { _ in ada.item(town.id(), in: other) }
        let handOver = ada.role(.owner, of: ben.account, in: list)
        #expect(
            try await outcomes(&ada, items[0], handOver, items[1], storage: used) == ["full", "applied", "applied"])
    }

    @Test("A record that is created again after a removal counts once") mutating func revived() throws {
        var ben = try town.phone()
        for _ in 0..<2 {
            try town.join(ben, list, of: ada, as: .editor)
            #expect(try miscounted() == 0)
            try ben.sync(ben.leave(list))
            #expect(try miscounted() == 0)
        }
    }
}
