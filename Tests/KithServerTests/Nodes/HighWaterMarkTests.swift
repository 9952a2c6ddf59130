import Foundation
import KithModel
import KithServer
import Testing

@Suite("What a node has missed")
struct HighWaterMarkTests {
    private let one = FeedID(UUID())
    private let two = FeedID(UUID())
    private var mark = HighWaterMark()

    private func found(
        _ revision: Int64, _ number: Int64 = 0, _ feeds: Set<FeedID>? = [], notices: [Int64] = []
    ) -> HighWaterMark.Found {
        let all = notices.map { number in
            var notice = NodeNotice(NodeID("there"))
            notice.number = number
            return notice
        }
        let found = feeds.map { feeds in
            Dictionary(uniqueKeysWithValues: feeds.map { ($0, Revision(revision)) })
        }
        return HighWaterMark.Found(
            HighWaterMark.Mark(Revision(revision), number: number), feeds: found, notices: all, stored: all.count)
    }

    /// What a poll finds while a transaction runs: feeds beyond the mark.
    private func found(upTo revision: Int64, _ feeds: [FeedID: Int64]?) -> HighWaterMark.Found {
        HighWaterMark.Found(
            HighWaterMark.Mark(Revision(revision), number: 3), feeds: feeds?.mapValues { Revision($0) }, notices: [],
            stored: 0)
    }

    /// One poll.
    private mutating func poll(_ found: HighWaterMark.Found, isListening: Bool = true) -> HighWaterMark.Missed {
        mark.end(mark.begin(), found, isListening: isListening)
    }

    private mutating func start() { _ = poll(found(10, 3)) }

    @Test("The first poll only notes where the database is") mutating func first() {
        let question = mark.begin()
        #expect(question.after == nil)
        let missed = mark.end(question, found(10, 3), isListening: false)
        #expect(missed == HighWaterMark.Missed())
        let next = mark.begin()
        #expect(next.after == HighWaterMark.Mark(Revision(10), number: 3))
    }

    @Test("Law: A feed that has moved and that no notice has named is missed") mutating func unnamed() {
        start()
        mark.name([one])
        let missed = poll(found(12, 3, [one, two]))
        #expect(missed.feeds == [two] && !missed.isEverything)
    }

    @Test("Law: After a gap, a feed that was named before may have moved again") mutating func gap() {
        start()
        mark.name([one])
        mark.noteGap()
        let after = poll(found(12, 3, [one]))
        #expect(after.feeds == [one])
        mark.name([one])
        let deaf = poll(found(13, 3, [one]), isListening: false)
        #expect(deaf.feeds == [one])
        mark.name([one])
        let heard = poll(found(14, 3, [one]))
        #expect(heard.feeds.isEmpty)
    }

    @Test("A feed that is named while the poll reads is not told twice") mutating func race() {
        start()
        let question = mark.begin()
        mark.name([two])
        let missed = mark.end(question, found(12, 3, [two]), isListening: true)
        #expect(missed.feeds.isEmpty)
    }

    @Test("A feed beyond the mark is found again, and counts once for each of its revisions")
    mutating func beyond() {
        _ = poll(found(upTo: 10, [one: 12]))
        let first = poll(found(upTo: 10, [one: 12, two: 13]))
        #expect(first.feeds == [two])
        mark.noteGap()
        let again = poll(found(upTo: 10, [one: 12, two: 13]))
        #expect(again.feeds.isEmpty)
        // A transaction that has begun earlier can commit later.
        let older = poll(found(upTo: 11, [one: 12, two: 11]))
        #expect(older.feeds == [two])
    }

    @Test("More feeds than a poll reads are no loss as long as notices arrive") mutating func busy() {
        start()
        let tooMany = poll(found(upTo: 10, nil))
        #expect(tooMany == HighWaterMark.Missed())
        let fewer = poll(found(upTo: 10, [one: 12]))
        #expect(fewer == HighWaterMark.Missed())
        let next = poll(found(upTo: 10, [one: 12, two: 13]))
        #expect(next.feeds == [two])
        _ = poll(found(upTo: 10, nil))
        mark.noteGap()
        let gap = poll(found(upTo: 10, [one: 12]))
        #expect(gap.feeds == [one])
    }

    @Test("Law: A stored notice counts once, and one that is missing is found by the poll") mutating func numbers() {
        start()
        let (next, again, jump) = (mark.hear(number: 4), mark.hear(number: 4), mark.hear(number: 6))
        #expect([next, again, jump] == [.next, .known, .afterGap])
        let question = mark.begin()
        #expect(question.after?.number == 4)
        let missed = mark.end(question, found(10, 6, [], notices: [5, 6]), isListening: true)
        #expect(missed.notices.map(\.number) == [5, 6])
        let known = mark.hear(number: 6)
        #expect(known == .known)
    }

    @Test("A failed poll is repeated with all that it asked") mutating func failure() {
        start()
        mark.noteGap()
        let question = mark.begin()
        mark.fail(question)
        mark.name([one])
        let missed = poll(found(12, 3, [one]))
        #expect(missed.feeds == [one])
    }

    @Test("Law: If more was missed than can be found, or the database is behind, the streams end")
    mutating func everything() {
        start()
        mark.noteGap()
        let tooMany = poll(found(12, 3, nil))
        #expect(tooMany.isEverything)
        let deleted = poll(found(12, 9, [], notices: [8, 9]))
        #expect(deleted.isEverything)
        let behind = poll(found(11, 9))
        #expect(behind.isEverything)
        let next = poll(found(12, 10, [], notices: [10]))
        #expect(!next.isEverything && next.notices.count == 1)
    }

    @Test("The named feeds are bounded; beyond, every feed that is found counts") mutating func bounded() {
        start()
        mark.name([one])
        mark.name((0...HighWaterMark.feeds).map { _ in FeedID(UUID()) })
        let missed = poll(found(12, 3, [one]))
        #expect(missed.feeds == [one])
    }
}
