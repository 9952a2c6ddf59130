package import KithModel

/// How far a node has followed the commits of all nodes, and what it has missed.
///
/// Notices tell of most commits at once. A poll finds the rest: the feeds whose revision is later than at the last poll
/// and that no notice has named since, and the stored notices with later numbers. If notices were lost, feeds that were
/// named may have moved again, so every feed that is found counts as missed.
///
/// In PostgreSQL, a transaction with a lower revision can commit later. So a poll looks for the feeds after the last
/// revision up to which every transaction had ended, and leaves out those that the poll before it has found.
package struct HighWaterMark: Sendable {
    /// The most feeds that a poll reads. If there are more and notices were lost, the streams end instead.
    package static let feeds = 50_000
    /// The most stored notices that a poll reads.
    package static let notices = 2_000

    /// What to look for.
    package struct Question: Hashable, Sendable {
        /// The revision and the number of the last poll; nil for the first poll.
        package var after: Mark?
        fileprivate var isGap: Bool
        fileprivate var named: Set<FeedID>
    }

    /// A state of the database.
    package struct Mark: Hashable, Sendable {
        /// The revision up to which all commits were seen.
        package var revision: Revision
        /// The number of the last stored notice.
        package var number: Int64

        package init(_ revision: Revision, number: Int64) {
            (self.revision, self.number) = (revision, number)
        }
    }

    /// What a poll has found.
    package struct Found: Hashable, Sendable {
        /// The state of the database.
        package var mark: Mark
        /// The feeds with later revisions, and these; nil if they are too many.
        package var feeds: [FeedID: Revision]?
        /// The stored notices with later numbers, oldest first.
        package var notices: [NodeNotice]
        /// The number of stored notices with later numbers that were read, readable or not.
        package var stored: Int

        package init(_ mark: Mark, feeds: [FeedID: Revision]?, notices: [NodeNotice], stored: Int) {
            (self.mark, self.feeds, self.notices, self.stored) = (mark, feeds, notices, stored)
        }
    }

    /// What the number of a stored notice says.
    package enum Heard: Hashable, Sendable {
        /// It was heard before.
        case known
        /// None is missing before it, or no poll has ended yet.
        case next
        /// Others are missing before it. The next poll reads them, and this one.
        case afterGap
    }

    /// What was missed.
    package struct Missed: Hashable, Sendable {
        package var feeds: Set<FeedID> = []
        package var notices: [NodeNotice] = []
        /// Whether more was missed than can be found: the streams end.
        package var isEverything = false

        package init() {}
    }

    /// The mark of the last poll.
    package private(set) var mark: Mark?
    /// The feeds that the last poll has found beyond its mark, which the next one finds again; nil if they were too many.
    private var foundBefore: [FeedID: Revision]? = [:]
    /// The number of the last stored notice that was heard of.
    private var heardNumber: Int64?
    /// The feeds that notices, or commits of this node, have named since the last poll began.
    private var named: Set<FeedID> = []
    /// Whether notices may have been lost since the last poll began.
    private var isGap = true

    package init() {}

    /// Records that a notice or a commit of this node has named feeds.
    package mutating func name(_ feeds: some Sequence<FeedID>) {
        named.formUnion(feeds)
        if named.count > Self.feeds {
            named = []
            isGap = true
        }
    }

    /// Records that notices may have been lost, for example with the connection.
    package mutating func noteGap() { isGap = true }

    /// Records the number of a stored notice, also of one of this node.
    package mutating func hear(number: Int64) -> Heard {
        guard let heardNumber else { return .next }
        if number <= heardNumber { return .known }
        guard number == heardNumber + 1 else {
            isGap = true
            return .afterGap
        }
        self.heardNumber = number
        return .next
    }

    /// Begins a poll. What is named from now on may be of later commits.
    package mutating func begin() -> Question {
        defer { (named, isGap) = ([], false) }
        let after = mark.map { Mark($0.revision, number: heardNumber ?? $0.number) }
        return Question(after: after, isGap: isGap, named: named)
    }

    /// Records that the poll has failed. The next one looks for the same.
    package mutating func fail(_ question: Question) {
        named.formUnion(question.named)
        isGap = isGap || question.isGap
    }

    /// Records what the poll has found.
    ///
    /// - Parameters:
    ///   - question: What ``begin()`` has returned.
    ///   - found: The answer to it.
    ///   - isListening: Whether notices have been heard since the last poll.
    /// - Returns: What was missed since the last poll.
    package mutating func end(_ question: Question, _ found: Found, isListening: Bool) -> Missed {
        defer {
            mark = found.mark
            foundBefore = found.feeds?.filter { $0.value > found.mark.revision }
            heardNumber = max(heardNumber ?? 0, found.mark.number)
        }
        var missed = Missed()
        guard let after = question.after else { return missed }
        // A database that was restored is behind.
        let isBehind = found.mark.revision < after.revision || found.mark.number < after.number
        if isBehind { heardNumber = nil }
        // Stored notices that are missing were deleted, or are too many.
        let isComplete = Int64(found.stored) == found.mark.number - after.number
        let isGap = question.isGap || !isListening
        guard isComplete, !isBehind, found.feeds != nil || !isGap else {
            missed.isEverything = true
            return missed
        }
        let feeds = newFeeds(in: found, isGap: isGap)
        missed.feeds = isGap ? feeds : feeds.subtracting(question.named).subtracting(named)
        // Some may have been heard while the poll was reading.
        missed.notices = found.notices.filter { $0.number ?? 0 > heardNumber ?? 0 }
        return missed
    }

    /// The feeds that have moved since the last poll. If there are too many to say which, notices without a gap have told
    /// of them.
    private func newFeeds(in found: Found, isGap: Bool) -> Set<FeedID> {
        let feeds = found.feeds ?? [:]
        let known = foundBefore ?? (isGap ? [:] : feeds)
        return Set(feeds.filter { known[$0.key] != $0.value }.keys)
    }
}
