import KithModel
import KithServer
import Testing

@Suite("The space of an account") struct StorageTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws {
        town = try Town()
        ada = try town.phone()
        list = town.id()
        try ada.sync(ada.create(list))
    }

    /// The feeds whose bytes are not those of their records.
    private func miscounted() throws -> Int {
        try town.database.readNow { transaction in
            try transaction.query(
                """
                SELECT id FROM feed WHERE bytes <> (SELECT COALESCE(SUM(LENGTH(CAST(fields AS BLOB))), 0)
                FROM record WHERE record.feed = feed.id AND deleted = 0)
                """
            ).count
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
        try await Housekeeping(database: town.database).purge(town.now + Limits.tombstones + .seconds(1))
        #expect(try miscounted() == 0)
    }

    @Test(
        "When an account's space is used, edits of what it owns are rejected, whoever makes them; removing makes room")
    mutating func full() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        let service = SyncService(database: town.database, storage: 4_000)
        func push(_ phone: inout Phone, _ mutations: [Mutation]) async throws -> [RejectionCode?] {
            let request = phone.request(mutations)
            let answer = try await service.sync(request, as: phone.account, at: town.now).answer
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
        let service = SyncService(database: town.database, storage: 3_000)
        let refused = try await service.sync(
            ada.request([ada.role(.owner, of: ben.account, in: list)]), as: ada.account, at: town.now
        ).answer
        #expect(refused.outcomes.map(\.code) == [.full])
        ada.apply(refused)
        try ben.sync()
        let roomy = SyncService(database: town.database, storage: 10_000)
        let taken = try await roomy.sync(
            ada.request([ada.role(.owner, of: ben.account, in: list)]), as: ada.account, at: town.now
        ).answer
        #expect(taken.outcomes.isEmpty)
    }

    @Test("What a refused group would have taken is given back")
    mutating func refusedGroup() async throws {
        let service = SyncService(database: town.database, storage: 4_000)
        let long = String(repeating: "x", count: 500)
        let gone = ada.mutation(town.id(), .items, town.id(), .set(["title": "Tea", "position": "a0"]))
        let group = (0..<5).map { _ in ada.item(town.id(), long, in: list) } + [gone]
        var request = ada.request(group + (0..<4).map { _ in ada.item(town.id(), long, in: list) })
        for index in group.indices { request.mutations[index].group = request.mutations[0].number }
        let codes = try await service.sync(request, as: ada.account, at: town.now).answer.outcomes.map(\.code)
        #expect(codes.count == group.count && !codes.contains(.full))
    }
}
