import Foundation
import KithModel
import KithServer
import Testing

@Suite("A queue that is fair between addresses") struct FairQueueTests {
    @Test("With equal costs the owners take turns, however much one of them brings")
    func turns() {
        var queue = FairQueue<String>(places: 1, waiting: 100, each: 50)
        var owners: [Int: String] = [:]
        func note(_ entry: FairQueue<String>.Entry, _ owner: String) {
            switch entry {
            case .begin(let ticket), .wait(let ticket): owners[ticket] = owner
            case .refuse: Issue.record("\(owner) was refused.")
            }
        }
        for _ in 0..<10 { note(queue.enter("greedy", cost: 5), "greedy") }
        for _ in 0..<3 { note(queue.enter("ada", cost: 5), "ada") }
        note(queue.enter("grace", cost: 5), "grace")
        var order: [String] = []
        while let ticket = queue.leave() { order.append(owners[ticket] ?? "nobody") }
        #expect(order.prefix(6) == ["ada", "grace", "greedy", "ada", "greedy", "ada"])
        #expect(order.count == 13)
    }

    @Test("An owner with small work overtakes an owner with large work")
    func costs() {
        var queue = FairQueue<String>(places: 1, waiting: 100, each: 50)
        var large: Set<Int> = []
        for _ in 0..<4 {
            if case .wait(let ticket) = queue.enter("large", cost: 1_000) { large.insert(ticket) }
        }
        for _ in 0..<20 { _ = queue.enter("small", cost: 10) }
        var before = 0
        while let ticket = queue.leave(), !large.contains(ticket) { before += 1 }
        #expect(before == 20)
    }

    @Test("An idle owner accumulates no turns")
    func noSaving() {
        var queue = FairQueue<String>(places: 1, waiting: 100, each: 50)
        for _ in 0..<50 {
            _ = queue.enter("busy", cost: 100)
            _ = queue.leave()
        }
        _ = queue.enter("busy", cost: 100)
        var late: Set<Int> = []
        for _ in 0..<10 { if case .wait(let ticket) = queue.enter("late", cost: 100) { late.insert(ticket) } }
        for _ in 0..<10 { _ = queue.enter("busy", cost: 100) }
        let first = (0..<10).compactMap { _ in queue.leave() }
        #expect((4...6).contains(first.count { late.contains($0) }))
    }

    @Test("The queue is bounded, and one owner cannot fill it for others")
    func bounded() {
        var queue = FairQueue<Int>(places: 1, waiting: 64, each: 40)
        _ = queue.enter(0, cost: 1)
        var waiting = 0
        while case .wait = queue.enter(0, cost: 1) { waiting += 1 }
        #expect(waiting == 32)
        guard case .wait = queue.enter(1, cost: 1) else {
            Issue.record("The other owner was refused.")
            return
        }
        guard case .wait = queue.enter(0, cost: 1, goesOn: true) else {
            Issue.record("What was begun could not go on.")
            return
        }
        for _ in 0..<34 { #expect(queue.leave() != nil) }
        #expect(queue.leave() == nil && queue.count == 0)
    }

    @Test(
        "Each waiting item gets one turn, and never more run than there are places",
        arguments: 0..<50 as Range<UInt64>)
    func all(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = FairQueue<Int>(places: 3, waiting: 50, each: 20)
        var (working, waiting): (Set<Int>, Set<Int>) = ([], [])
        for _ in 0..<2_000 {
            if Bool.random(using: &random) {
                let cost = Int.random(in: 0...50, using: &random)
                switch queue.enter(Int.random(in: 0..<8, using: &random), cost: cost) {
                case .begin(let ticket): working.insert(ticket)
                case .wait(let ticket): waiting.insert(ticket)
                case .refuse: #expect(!waiting.isEmpty)
                }
            } else if let done = working.min() {
                working.remove(done)
                let next = queue.leave()
                #expect((next == nil) == waiting.isEmpty)
                if let next {
                    #expect(waiting.remove(next) != nil)
                    working.insert(next)
                }
            }
            #expect(working.count <= 3 && queue.count == waiting.count)
            #expect(waiting.isEmpty || working.count == 3)
        }
    }
}
