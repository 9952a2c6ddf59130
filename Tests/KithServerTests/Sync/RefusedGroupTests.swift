import KithModel
import KithServer
import Testing

@Suite("The effect of a refused group on later edits of the same request") struct RefusedGroupTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID

    /// Ada owns a list that Ben edits.
    init() throws {
        (town, ada, list) = try Town.withList()
        ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
        try ada.sync()
    }

    /// Sends `group`, which is refused because of its last mutation, and `edits` after it; the outcomes of these.
    private mutating func outcomes(
        after group: Mutation..., edits: [Mutation], storage: Int = Limits.storage
    ) async throws -> [String] {
        let refused = group + [ada.item(town.id(), "", in: list)]
        var request = ada.request(refused + edits)
        for index in refused.indices { request.mutations[index].group = request.mutations[0].number }
        let service = SyncService(database: town.database)
        let answer = try await service.sync(
            request, as: ada.account, at: town.now, under: SyncRound.Terms(storage: storage)
        ).answer
        let outcomes = request.mutations.map { mutation in
            answer.outcomes.first { $0.number == mutation.number }?.code?.rawValue ?? "applied"
        }
        #expect(Array(outcomes.prefix(refused.count)) == group.map { _ in "group" } + ["invalid"])
        ada.apply(answer)
        return Array(outcomes.dropFirst(refused.count))
    }

    @Test("its contact requests do not count against the quota") mutating func requests() async throws {
        let (cleo, dan) = (try town.phone(), try town.phone())
        let day = town.now.day
        try town.execute(
            "INSERT INTO usage (account, kind, day, amount) VALUES (?, 'request', ?, ?)",
            [.id(ada.account), .integer(day), .integer(Int64(Limits.requestsADay - 2))])
        let outcomes = try await outcomes(
            after: ada.wish(.connect, ben),
            edits: [ada.wish(.connect, ben), ada.wish(.connect, cleo), ada.wish(.connect, dan)])
        #expect(outcomes == ["applied", "applied", "quotaExceeded"])
        try ada.sync()
        #expect(try ada.outcomes(ada.wish(.connect, dan)) == ["quotaExceeded"])
    }

    @Test("the people that it removed are not kept out") mutating func removedPeople() async throws {
        var cleo = try town.phone()
        try town.join(cleo, list, of: ada, as: .viewer)
        let outcomes = try await outcomes(
            after: ada.mutation(list, .members, ben.me, .delete),
            edits: [ada.mutation(list, .members, cleo.me, .delete)])
        #expect(outcomes == ["applied"])
        let removed = try town.links.removed(of: list.retyped(), by: ada.account, at: town.now)
        #expect(removed.map(\.account) == [cleo.account])
        #expect(try town.role(ben.account, list) == .editor)
        #expect(try cleo.outcomes(cleo.item(town.id(), in: list)) == ["forbidden"])
    }

    @Test("a list that it handed over still belongs to its owner and counts in the owner's space")
    mutating func ownership() async throws {
        let other: FeedID = town.id()
        let long = String(repeating: "x", count: 400)
        try ada.sync([ada.create(other)] + (0..<5).map { _ in ada.item(town.id(), long, in: other) })
        let used = try [ada.home, list, other].reduce(0) { $0 + Int(try #require(try town.row($1)).bytes) }
        let outcomes = try await outcomes(
            after: ada.role(.owner, of: ben.account, in: list), edits: [ada.item(town.id(), in: list)], storage: used)
        #expect(outcomes == ["full"])
        #expect(try town.role(ada.account, list) == .owner)
    }

    @Test("a list that it deleted still exists, with everyone's access") mutating func deletedList() async throws {
        let outcomes = try await outcomes(
            after: ada.mutation(list, .lists, list.retyped(), .delete), edits: [ada.item(town.id(), in: list)])
        #expect(outcomes == ["applied"])
        #expect(try town.row(list)?.isClosed == false)
        #expect(try ben.outcomes(ben.item(town.id(), in: list)) == ["applied"])
    }
}
