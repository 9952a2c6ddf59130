import KithModel
import KithServer
import Testing

@Suite("The lists that an account makes in a day", .timeLimit(.minutes(15))) struct ListQuotaTests {
    @Test("Trap: Lists that are made and deleted at once use no storage, and fill the disk – they have a daily limit")
    func deleted() throws {
        let town = try Town()
        var (ada, ben) = (try town.phone(), try town.phone())
        let pairs = Limits.mutations / 2
        for start in stride(from: 0, to: Limits.listsADay, by: pairs) {
            try ada.sync(
                (start..<min(start + pairs, Limits.listsADay)).flatMap { _ in
                    let list: FeedID = town.id()
                    return [ada.create(list), ada.mutation(list, .lists, list.retyped(), .delete)]
                })
        }
        #expect(try ada.outcomes(ada.create(town.id())) == ["quotaExceeded"])
        #expect(try ben.outcomes(ben.create(town.id())) == ["applied"], "Each account has its own.")
        town.pass(.days(1))
        #expect(try ada.outcomes(ada.create(town.id())) == ["applied"])
    }
}
