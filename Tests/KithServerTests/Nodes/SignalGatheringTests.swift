import Foundation
import KithModel
import KithServer
import Testing

@Suite("When a node tells its news")
struct SignalGatheringTests {
    private static let feeds = (0..<9).map { _ in FeedID(UUID()) }
    private var gathering = SignalGathering()
    private let times = NodeTimes()

    private mutating func add(_ feed: Int) { gathering.add(Signals(moved: [Self.feeds[feed]])) }

    /// The numbers of the feeds that are told at a time; nil if none are.
    private mutating func told(at time: Duration) -> Set<Int>? {
        guard case .send(let news) = gathering.step(at: time) else { return nil }
        return Set(news.moved.keys.compactMap { Self.feeds.firstIndex(of: $0) })
    }

    @Test("Law: A single signal waits for nothing, and the commits of a few milliseconds share one notice")
    mutating func gathers() {
        let nothing = gathering.step(at: .zero)
        #expect(nothing == .rest)
        add(0)
        let first = told(at: .milliseconds(100))
        #expect(first == [0])
        add(1)
        let early = gathering.step(at: .milliseconds(101))
        #expect(early == .wait(times.gathering - .milliseconds(1)))
        add(2)
        let second = told(at: .milliseconds(100) + times.gathering)
        #expect(second == [1, 2])
        let rest = gathering.step(at: .milliseconds(200))
        #expect(rest == .rest)
    }

    @Test("Law: News that could not be told is told later, with what has come since") mutating func putBack() {
        add(0)
        guard case .send(let news) = gathering.step(at: .zero) else {
            Issue.record("Nothing is told.")
            return
        }
        add(1)
        gathering.putBack(news, at: .milliseconds(10))
        let soon = gathering.step(at: .milliseconds(11))
        #expect(soon == .wait(times.retrying - .milliseconds(1)))
        let all = told(at: .milliseconds(210))
        #expect(all == [0, 1])
    }

    @Test("A clock that stands still does not hold news back") mutating func waited() {
        add(0)
        _ = told(at: .zero)
        add(1)
        let waiting = gathering.step(at: .zero)
        #expect(waiting == .wait(times.gathering))
        gathering.waited()
        let all = told(at: .zero)
        #expect(all == [1])
    }

    @Test("Changes of presence are told without a signal, and the rest is told at the end") mutating func presence() {
        gathering.notePresence()
        let step = gathering.step(at: .zero)
        #expect(step == .send(NodeNews()))
        let nothing = gathering.rest()
        #expect(nothing == nil)
        add(3)
        let rest = gathering.rest()
        #expect(rest?.moved.keys.first == Self.feeds[3])
    }
}
