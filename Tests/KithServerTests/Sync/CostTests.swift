import KithModel
import KithServer
import Testing

@Suite("The cost of a round") struct CostTests {
    let town: Town
    var ada: Phone
    let list: FeedID
    let counting: CountingDatabase

    init() throws {
        (town, ada, list) = try Town.withList()
        counting = CountingDatabase(town.database)
    }

    private mutating func statements(_ mutations: [Mutation]) async throws -> [String] {
        counting.reset()
        let request = ada.request(mutations)
        let answer = try await SyncService(database: counting).sync(request, as: ada.account, at: town.now).answer
        ada.apply(answer)
        return counting.statements
    }

    @Test("a round without news is one query") mutating func nothingNew() async throws {
        let statements = try await statements([])
        #expect(statements.count == 1)
        #expect(statements[0].hasPrefix("SELECT"))
    }

    /// What a round of a tablet costs: its statements, their rows, and the length of the token.
    private func cost(_ tablet: inout Phone) async throws -> (statements: Int, rows: Int, token: Int) {
        counting.reset()
        let answer = try await SyncService(database: counting)
            .sync(tablet.request([]), as: ada.account, at: town.now).answer
        tablet.apply(answer)
        return (counting.statements.count, counting.rows, answer.token.rawValue.utf8.count)
    }

    @Test("a round without news, or with one change, costs with 990 lists what it costs with one")
    mutating func manyLists() async throws {
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        var (empty, changed): ([(Int, Int, Int)], [(Int, Int, Int)]) = ([], [])
        for lists in [0, 989] {
            for _ in 0..<lists / 43 { try ada.sync((0..<43).map { _ in ada.create(town.id()) }) }
            try tablet.sync()
            empty.append(try await cost(&tablet))
            try ada.sync(ada.item(town.id(), in: list))
            changed.append(try await cost(&tablet))
        }
        #expect(tablet.replica.count == 1 + 990)
        #expect(empty[0].0 == 1 && empty[0].1 == 1)
        for (one, many) in [(empty[0], empty[1]), (changed[0], changed[1])] {
            #expect(many.0 == one.0)
            #expect(many.1 == one.1)
            // The revision has one more byte.
            #expect(many.2 <= one.2 + 2)
        }
        #expect(empty[1].2 < 60)
    }

    @Test("a first fill of 990 lists has short tokens, and each list is read once") mutating func firstFill() throws {
        for _ in 0..<23 { try ada.sync((0..<43).map { _ in ada.create(town.id()) }) }
        var tablet = Phone(town, account: ada.account)
        var answers: [SyncAnswer] = []
        repeat {
            answers.append(try tablet.send(tablet.request([]), page: 100).answer)
            tablet.apply(try #require(answers.last))
        } while answers.last?.more == true && answers.count < 100
        #expect(answers.count > 20)
        #expect(answers.allSatisfy { $0.token.rawValue.utf8.count < 150 })
        #expect(answers.flatMap(\.feeds).filter(\.isComplete).count == 991)
        for feed in tablet.replica.keys { #expect(tablet.digest(feed) == (try town.row(feed)?.digest)) }
    }

    @Test("five hundred mutations need as many statements as one") mutating func push() async throws {
        let one = try await statements([ada.item(town.id(), in: list)])
        let many = try await statements((0..<Limits.mutations).map { _ in ada.item(town.id(), in: list) })
        #expect(many.count == one.count)
        #expect(one.count <= 12)
    }

    @Test("a hundred new lists with items need as many statements as one")
    mutating func lists() async throws {
        func lists(_ count: Int) -> [Mutation] {
            (0..<count).flatMap { _ in
                let new: FeedID = town.id()
                return [ada.create(new), ada.item(town.id(), in: new)]
            }
        }
        let one = try await statements(lists(1))
        let many = try await statements(lists(100))
        #expect(many.count == one.count)
        counting.reset()
        var tablet = Phone(town, account: ada.account)
        let request = tablet.request([])
        let answer = try await SyncService(database: counting).sync(request, as: ada.account, at: town.now).answer
        #expect(answer.feeds.count == 103)
        #expect(counting.statements.count == 2)
    }

    @Test("a push reads only what it needs: items no quota, and the feeds of an owner only if their space is scarce")
    mutating func needs() async throws {
        let item: RecordID<Never> = town.id()
        let push = try await statements([ada.item(item, in: list)])
        #expect(!push.contains { $0.contains("SUM(feed.bytes)") || $0.contains("usage") })
        let removal = try await statements([ada.mutation(list, .items, item, .delete)])
        #expect(!removal.contains { $0.contains("SUM(feed.bytes)") })
        counting.reset()
        let request = ada.request([ada.item(town.id(), in: list)])
        let answer = try await SyncService(database: counting).sync(
            request, as: ada.account, at: town.now, under: SyncRound.Terms(storage: 10 << 20)
        ).answer
        #expect(answer.outcomes.isEmpty)
        #expect(counting.statements.contains { $0.contains("SUM(feed.bytes)") })
    }

    @Test("an edit of one item reads device, list, record and revision, and writes five tables; one query answers it")
    mutating func oneEdit() async throws {
        let item: RecordID<Never> = town.id()
        var ben = try town.phone()
        try ada.sync(ada.item(item, in: list))
        // Others have changed what Ada cannot read.
        try ben.sync(ben.profile(["nick": "Ben"]))
        let edit = ada.mutation(list, .items, item, .set(["title": "Milk"]), seen: 1)
        let statements = try await statements([edit])
        #expect(statements.count { $0.contains("SELECT") } == 4 + 1)
        #expect(statements.count == 4 + 5 + 1)
        #expect(ada.fields(list, item)?["title"] == "Milk")
    }

    @Test("the answer to a push looks for further changes of a list only if there are some")
    mutating func ownChanges() async throws {
        func searches(_ statements: [String]) -> Int { statements.count { $0.contains("record.sequence >") } }
        let (first, second): (RecordID<Never>, RecordID<Never>) = (town.id(), town.id())
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync()
        #expect(searches(try await statements([ada.item(first, in: list), ada.item(second, in: list)])) == 0)
        let removal = ada.mutation(list, .items, first, .delete, seen: 2)
        #expect(searches(try await statements([removal])) == 0)
        // Another device has changed it, too.
        try tablet.sync(tablet.item(town.id(), in: list))
        #expect(searches(try await statements([ada.item(town.id(), in: list)])) == 1)
        #expect(ada.digest(list) == (try town.row(list)?.digest))
        try tablet.sync()
        #expect(tablet.digest(list) == (try town.row(list)?.digest))
    }

    @Test("a round reads nothing twice: of an item, a new list, a request, a profile, and all at once")
    mutating func once() async throws {
        let ben = try town.phone()
        let new: FeedID = town.id()
        let item = ada.item(town.id(), in: list)
        let wish = ada.mutation(
            ada.account.retyped(), .contacts, ben.account.retyped(), .set(["wish": "connect"]))
        let profile = ada.mutation(
            ada.account.retyped(), .profiles, ada.account.retyped(), .set(["status": "Out"]))
        let all = [ada.item(town.id(), in: list), ada.create(new), ada.item(town.id(), in: new)]
        for mutations in [[item], [ada.create(town.id())], [wish], [profile], all] {
            _ = try await statements(mutations)
            let queries = counting.calls.filter { $0.sql.hasPrefix("SELECT") || $0.sql.hasPrefix("WITH") }
            #expect(queries.count > 1)
            for query in Set(queries) where queries.count(where: { $0 == query }) > 1 {
                Issue.record("Asked twice: \(query.sql) with \(query.values)")
            }
        }
    }

    @Test("feeds with changes that exactly fill an answer are read together") mutating func fullAnswer() async throws {
        let second: FeedID = town.id()
        try ada.sync(ada.create(second))
        var tablet = Phone(town, account: ada.account)
        try tablet.sync()
        try ada.sync(ada.item(town.id(), in: list), ada.item(town.id(), in: second))
        counting.reset()
        let service = SyncService(database: counting, page: 2)
        let answer = try await service.sync(tablet.request([]), as: ada.account, at: town.now).answer
        #expect(answer.feeds.map(\.isComplete) == [true, true] && !answer.more)
        #expect(counting.statements.count == 3)
    }

    @Test("every statement finds its rows by an index, without a table scan")
    mutating func plans() async throws {
        var ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        let new: FeedID = town.id()
        var seen = try await statements([
            ada.create(new), ada.item(town.id(), in: new), ada.role(.viewer, of: ben.account, in: list),
            ada.mutation(list, .members, ben.me, .delete), ada.mutation(new, .lists, new.retyped(), .delete),
        ])
        try ben.sync(ben.wish(.connect, ada))
        try ada.sync()
        seen += try await statements([ada.wish(.accept, ben)])
        var tablet = Phone(town, account: ada.account)
        for size in [1, 2, 1000] {
            counting.reset()
            let service = SyncService(database: counting, page: size)
            tablet.apply(try await service.sync(tablet.request([]), as: ada.account, at: town.now).answer)
            seen += counting.statements
        }
        counting.reset()
        var fresh = Phone(town, account: ada.account)
        _ = try await SyncService(database: counting).sync(fresh.request([]), as: ada.account, at: town.now)
        seen += counting.statements
        try ada.sync((0..<5).map { _ in ada.item(town.id(), in: list) })
        for size in [2, 1000] {
            counting.reset()
            let service = SyncService(database: counting, page: size)
            tablet.apply(try await service.sync(tablet.request([]), as: ada.account, at: town.now).answer)
            seen += counting.statements
        }
        // Much has changed since, in feeds of others.
        try ada.sync(ada.item(town.id(), in: list))
        try town.execute("UPDATE revision SET number = number + 1000")
        counting.reset()
        let late = try await SyncService(database: counting).sync(tablet.request([]), as: ada.account, at: town.now)
        #expect(late.answer.feeds.count == 1)
        seen += counting.statements
        counting.reset()
        let (now, server, people) = (
            town.now, counting.server, (ada: ada.account, ben: ben.account, list: list.retyped() as ListID)
        )
        @Sendable func links(_ transaction: any Transaction) -> LinkTransaction {
            LinkTransaction(transaction, at: now, on: server)
        }
        let link = try await counting.write {
            try links($0).create(LinkRequest(role: .viewer), for: people.list, by: people.ada).value
        }
        _ = try await counting.read { try links($0).preview(link.token ?? "") }
        let removed = try await counting.read { try links($0).removed(of: people.list, by: people.ada).people }
        #expect(removed.count == 1)
        try await counting.write { try links($0).letIn(people.ben, to: people.list, by: people.ada) }
        _ = try await counting.write { try links($0).accept(link.token ?? "", by: people.ben) }
        _ = try await counting.read { try links($0).links(of: people.list, by: people.ada) }
        try await counting.write { try LastSeen.write([people.ada: now, people.ben: now], in: $0) }
        try await Housekeeping(database: counting, signals: .none).purge(town.now)
        try await Housekeeping(database: counting, signals: .none).purge(town.now + Limits.tombstones + .seconds(1))
        seen += counting.statements

        #expect(Set(seen).count > 20)
        var ordered = 0
        for sql in Set(seen).sorted() {
            let plan = try town.expectSearches(sql)
            if sql.hasSuffix(" ORDER BY id LIMIT ?") || sql.hasSuffix(" ORDER BY sequence LIMIT ?") {
                #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql)")
                ordered += 1
            }
        }
        #expect(ordered >= 2, "A page, and the changes of one feed, are read in the order of an index.")
    }
}
