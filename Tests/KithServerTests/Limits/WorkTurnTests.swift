import KithModel
import KithServer
import Testing

@Suite("The turns of accounts in a background job") struct WorkTurnTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test("Work is never due in the future, and that of one account keeps its order")
    func order() {
        var random = SplitMix64(seed: 1)
        var (now, last) = (self.now, Timestamp(milliseconds: 0))
        for _ in 0..<2_000 {
            now = now + .milliseconds(Int64.random(in: 0...1_000_000, using: &random))
            let turn = WorkTurn.next(after: last, adding: Int.random(in: 1...100, using: &random), at: now)
            #expect(turn <= now && turn >= last)
            last = turn
        }
    }

    @Test("Whoever has ordered nothing comes before all but the first work of an account that has ordered a lot")
    func newcomer() {
        var flood: [Timestamp] = []
        for _ in 0..<50 { flood.append(WorkTurn.next(after: flood.last, adding: 100, at: now)) }
        let newcomer = WorkTurn.next(after: nil, adding: 1, at: now + .minutes(10))
        #expect(flood.allSatisfy { newcomer < $0 })
        #expect(newcomer == now + .minutes(11) - WorkTurn.lead)
        #expect(flood.last == now)
        let later = now + WorkTurn.lead
        #expect(WorkTurn.next(after: now, adding: 1, at: later) == WorkTurn.next(after: nil, adding: 1, at: later))
    }

    @Test("What follows from work comes after the usual work of an account, and before what is beyond it")
    func following() {
        let usual = WorkTurn.next(after: nil, adding: 200, at: now)
        let more = WorkTurn.next(after: usual, adding: 1, at: now)
        let later = now + .seconds(5)
        #expect(WorkTurn.following(usual, at: later) == WorkTurn.ofServer(at: later))
        #expect(usual < WorkTurn.following(usual, at: later) && WorkTurn.ofServer(at: later) < more)
        #expect(WorkTurn.following(more, at: later) == later)
        #expect(WorkTurn.following(nil, at: later) == WorkTurn.ofServer(at: later))
    }

    @Test("Each account has turns of its own in each job") func stored() throws {
        let (ada, ben) = (AccountID.numbered(1), AccountID.numbered(2))
        try SQLiteDatabase.inMemory().writeNow { transaction in
            func take(_ account: AccountID, _ job: WorkTurns.Job) throws -> Timestamp {
                try WorkTurns.take(2, of: account, in: job, at: now, in: transaction)
            }
            let first = try take(ada, .invitations)
            #expect(first == WorkTurn.next(after: nil, adding: 2, at: now))
            #expect(try take(ada, .invitations) == WorkTurn.next(after: first, adding: 2, at: now))
            #expect(try take(ada, .sharing) == first)
            #expect(try take(ben, .invitations) == first)
        }
    }

    @Test("The last turn is deleted when it does not count any more, and with the account") func deleted() async throws
    {
        let world = try InvitationWorld()
        let town = world.town
        var (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
        try ada.sync(ada.invite("mailto:cleo@example.com"))
        try ben.sync(ben.invite("mailto:cleo@example.com"))
        func accounts() throws -> Set<AccountID> {
            let rows = try town.database.readNow { try $0.query("SELECT account FROM work_turn") }
            return Set(try rows.map { try $0.id(0) })
        }
        #expect(try accounts() == [ada.account, ben.account])
        try town.delete(ada.account)
        #expect(try accounts() == [ben.account])
        town.pass(WorkTurn.pause)
        try await town.purge()
        #expect(try accounts() == [ben.account])
        town.pass(.milliseconds(1))
        try await town.purge()
        #expect(try accounts().isEmpty)
    }
}
