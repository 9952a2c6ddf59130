import Foundation
import KithModel
import KithServer
import Testing

@Suite("Which nodes run")
struct NodeLeasesTests {
    private static let (own, other) = (NodeID("own"), NodeID("other"))
    private var leases = NodeLeases(of: Self.own, lease: .seconds(10))

    private func row(_ beat: Int64, changes: Int64 = 0) -> NodeRow {
        NodeRow(Self.other, beat: beat, at: HandClock.start, changes: changes)
    }

    private mutating func see(
        _ row: NodeRow?, at seconds: Int, revision: Int64 = 1, isGap: Bool = false
    ) -> NodeLeases.Outcome {
        let own = NodeRow(Self.own, beat: 1, at: HandClock.start)
        return leases.see(
            [own] + (row.map { [$0] } ?? []), revision: Revision(revision), at: .seconds(seconds), isGap: isGap)
    }

    @Test("Law: A silent node has ended after the lease, by the clock of the one that watches") mutating func silent() {
        let new = see(row(5), at: 0, revision: 7)
        #expect(new.unread == [Self.other] && new.ended.isEmpty)
        let beating = see(row(6), at: 8, revision: 8)
        #expect(beating == NodeLeases.Outcome())
        let patient = see(row(6), at: 17, revision: 9)
        #expect(patient == NodeLeases.Outcome())
        let ended = see(row(6), at: 18, revision: 9)
        #expect(ended.ended == [.init(row(6), since: Revision(7), isStored: true)])
        let gone = see(nil, at: 19)
        #expect(gone == NodeLeases.Outcome(), "It has ended once.")
    }

    @Test("A node that was silent and goes on is read again") mutating func back() {
        _ = see(row(1), at: 0)
        _ = see(row(1), at: 10)
        let back = see(row(2), at: 12)
        #expect(back.unread == [Self.other] && back.ended.isEmpty)
    }

    @Test("A node whose row is gone has ended at once") mutating func stopped() {
        _ = see(row(1), at: 0, revision: 3)
        let stopped = see(nil, at: 2, revision: 4)
        #expect(stopped.ended == [.init(row(1), since: Revision(3), isStored: false)])
    }

    @Test(
        "Trap: A node writes a heartbeat between a commit and its notice – the commit is among those since its last sign"
    )
    mutating func beatBeforeNotice() {
        // The commit of the revision 15 may be older than the third heartbeat, and not told.
        for (beat, revision) in [(1, 10), (2, 20), (3, 30)] as [(Int64, Int64)] {
            let outcome = see(row(beat), at: 2 * Int(beat), revision: revision)
            #expect(outcome.ended.isEmpty)
        }
        let ended = see(row(3), at: 16, revision: 40)
        #expect(ended.ended.map(\.since) == [Revision(10)])
    }

    @Test("Trap: A node dies after its first commit, which the poll that has first seen the node has seen as well")
    mutating func young() {
        _ = see(nil, at: 0, revision: 10)
        _ = see(row(1), at: 2, revision: 20)
        let ended = see(row(1), at: 12, revision: 20)
        #expect(ended.ended.map(\.since) == [Revision(10)])
    }

    @Test(
        """
        Trap: A node ends before it tells a commit whose feed another notice has named – its commits are looked up from \
        before the poll that has left out the feed
        """, arguments: [false, true])
    func untold(isStopped: Bool) throws {
        let feed = FeedID(UUID())
        var (mark, leases) = (HighWaterMark(), NodeLeases(of: Self.own, lease: .seconds(10)))
        var missed: Set<FeedID> = []
        func poll(
            _ revision: Int64, _ moved: [FeedID: Revision], _ rows: [NodeRow], at seconds: Int
        ) -> [NodeLeases.Ended] {
            let question = mark.begin()
            let found = HighWaterMark.Found(
                HighWaterMark.Mark(Revision(revision), number: 0), feeds: moved, notices: [], stored: 0)
            missed.formUnion(mark.end(question, found, isListening: true).feeds)
            return leases.see(rows, revision: Revision(revision), at: .seconds(seconds), isGap: false).ended
        }

        _ = poll(10, [:], [row(1)], at: 0)
        _ = poll(10, [:], [row(2)], at: 2)
        // A third node moves the feed and tells it. The other one writes a heartbeat and moves the feed again.
        mark.name([feed])
        _ = poll(12, [feed: Revision(12)], [row(3)], at: 4)
        // It dies, or its last notice fails and it stops.
        let ended = poll(12, [:], isStopped ? [] : [row(3)], at: 14)
        #expect(missed.isEmpty, "The other notice hides the feed from the poll.")
        #expect(ended.map(\.since) == [Revision(10)] && ended.map(\.isStored) == [!isStopped])
    }

    @Test("Law: Presence that was changed and not heard is read: at once after a gap, else at the next poll")
    mutating func changes() {
        _ = see(row(1), at: 0)
        let onItsWay = see(row(2, changes: 1), at: 2)
        #expect(onItsWay.unread.isEmpty)
        leases.hear(changes: 1, of: Self.other)
        let heard = see(row(3, changes: 2), at: 4)
        #expect(heard.unread.isEmpty)
        let lost = see(row(4, changes: 2), at: 6)
        #expect(lost.unread == [Self.other])
        let read = see(row(5, changes: 2), at: 8)
        #expect(read.unread.isEmpty)
        leases.noteUnread(Self.other)
        let again = see(row(6, changes: 2), at: 9)
        #expect(again.unread == [Self.other])
        let gap = see(row(7, changes: 3), at: 10, isGap: true)
        #expect(gap.unread == [Self.other])
    }
}
