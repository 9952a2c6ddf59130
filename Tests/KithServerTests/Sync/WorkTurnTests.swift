import KithModel
import KithServer
import Testing

@Suite("The turns of accounts in a background job") struct WorkTurnTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test("Work is never due in the future, and that of one account keeps its order, whatever was done meanwhile")
    func order() {
        var random = SplitMix64(seed: 1)
        var (now, waiting, last) = (self.now, [Timestamp](), Timestamp(milliseconds: 0))
        for _ in 0..<2_000 {
            now = now + .milliseconds(Int64.random(in: 0...100_000, using: &random))
            let turn = WorkTurn.next(after: waiting, adding: Int.random(in: 1...100, using: &random), at: now)
            #expect(turn <= now && (waiting.isEmpty || turn >= last))
            (waiting, last) = (waiting + [turn], turn)
            waiting.removeFirst(Int.random(in: 0...min(2, waiting.count), using: &random))
        }
    }

    @Test("Whoever has nothing waiting comes before all but the first work of an account that has added a lot")
    func newcomer() {
        var flood: [Timestamp] = []
        for _ in 0..<50 { flood.append(WorkTurn.next(after: flood, adding: 100, at: now)) }
        let newcomer = WorkTurn.next(after: [], adding: 1, at: now + .minutes(10))
        #expect(flood.allSatisfy { newcomer < $0 })
        #expect(newcomer == now + .minutes(11) - WorkTurn.lead)
        #expect(flood.last == now)
        let many = [Timestamp](repeating: now - .days(9), count: WorkTurn.most)
        #expect(WorkTurn.next(after: many, adding: 1, at: now) == now)
    }

    @Test("What follows from work comes after the usual work of an account, and before what is beyond it")
    func following() {
        let usual = WorkTurn.next(after: [], adding: 200, at: now)
        let more = WorkTurn.next(after: [usual], adding: 1, at: now)
        let later = now + .seconds(5)
        #expect(WorkTurn.following(usual, at: later) == WorkTurn.ofServer(at: later))
        #expect(usual < WorkTurn.following(usual, at: later) && WorkTurn.ofServer(at: later) < more)
        #expect(WorkTurn.following(more, at: later) == later)
        #expect(WorkTurn.following(nil, at: later) == WorkTurn.ofServer(at: later))
    }
}
