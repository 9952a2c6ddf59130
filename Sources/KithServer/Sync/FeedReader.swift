import Foundation
import KithModel

/// Continues to read feeds from the positions of a replica, up to a maximum number of records and bytes.
///
/// Changes come before pages, so that a large new list does not delay small changes in other feeds. One query reads all
/// small feeds. A feed that may not fit completely, or that is the only one, has its own query, which sorts nothing. No
/// query is needed if the only changes are those of records that are known already, as after most pushes.
struct FeedReader {
    private let transaction: any Transaction
    /// Records whose state in this snapshot is known.
    private let known: NamedRecords
    private var budget: Int
    /// The number of bytes of fields that still fit. The record that exceeds the limit is still read, so that each
    /// answer makes progress.
    private var bytes: Int
    /// The number of bytes of fields that were read.
    private(set) var bytesRead = 0
    /// The positions of the replica after the answer.
    private(set) var positions: FeedPositions
    private(set) var answer: [FeedChanges] = []
    /// Whether an immediate further round would read more.
    private(set) var hasMore = false

    init(
        _ transaction: any Transaction, _ positions: FeedPositions, knowing known: NamedRecords, budget: Int, bytes: Int
    ) {
        self.transaction = transaction
        self.known = known
        self.positions = positions
        self.budget = budget
        self.bytes = bytes
    }

    /// Reads the changes in `feeds`, and reads the feeds of `feedsToReread` from their beginning.
    ///
    /// `first` is read before the others: it is the account's own feed, which names the lists.
    mutating func read(_ feeds: [FeedRow], first: FeedID, reread feedsToReread: Set<FeedID>) throws {
        var changed: [Changed] = []
        var paged: [Paged] = []
        for feed in feeds.filter({ $0.id == first }) + feeds.filter({ $0.id != first }).sorted(by: { $0.id < $1.id }) {
            switch FeedReading(of: feed, from: positions.feeds[feed.id], isReread: feedsToReread.contains(feed.id)) {
            case .nothing: break
            case .changes(let after): changed.append(Changed(feed: feed, after: after))
            case .pages(let after, let since):
                paged.append(Paged(feed: feed, after: after, since: since))
                // The token stores the request, so that a later round starts to reread even if the device does not ask
                // again.
                if after == nil && positions.feeds[feed.id] != nil { positions.feeds[feed.id] = .reread }
            }
        }
        try read(changed, bound: \.bound, all: { try $0.readAll(of: $1) }, one: { try $0.readSome(of: $1) })
        try read(paged, bound: \.bound, all: { try $0.readAll(of: $1) }, one: { try $0.readPage(of: $1) })
    }

    /// Reads `parts` in order while the budget lasts. One query reads all parts whose records certainly fit; a part
    /// that may not fit, or that is the only one, has its own query. If the bytes run out, `readAll` stops, and nothing
    /// is read after it.
    private mutating func read<Part>(
        _ parts: [Part], bound: (Part) -> Int?, all readAll: (inout Self, ArraySlice<Part>) throws -> Void,
        one readOne: (inout Self, Part) throws -> Void
    ) throws {
        var rest = parts[...]
        while let next = rest.first, !isFull {
            var left = budget
            let whole = rest.prefix {
                guard let bound = bound($0) else { return false }
                left -= bound
                return left >= 0
            }
            if whole.count < 2 {
                try readOne(&self, next)
                rest.removeFirst()
            } else {
                try readAll(&self, whole)
                rest = rest.dropFirst(whole.count)
            }
        }
        if !rest.isEmpty { hasMore = true }
    }

    private mutating func finish(_ feed: FeedRow, _ changes: [RecordChange] = [], page: RecordPage? = nil) {
        positions.feeds[feed.id] = .changes(after: feed.sequence)
        answer.append(
            FeedChanges(feed: feed.id, changes: changes, page: page, isComplete: true, digest: feed.digest))
    }

    private var isFull: Bool { budget <= 0 || bytes <= 0 }

    /// The rows of `query` that fit the byte budget, and whether these are all rows.
    private func rows(
        _ query: ((SQLRow) throws -> Bool) throws -> [SQLRow]
    ) throws -> (rows: [SQLRow], areAll: Bool) {
        var (rest, areAll) = (bytes, true)
        let rows = try query { row in
            areAll = rest > 0
            rest -= try RecordChange.bytes(row)
            return areAll
        }
        return (rows, areAll)
    }

    /// Subtracts rows from the budget.
    private mutating func count(_ rows: some Collection<SQLRow>) throws {
        budget -= rows.count
        for row in rows {
            let size = try RecordChange.bytes(row)
            bytes -= size
            bytesRead += size
        }
    }
}

// MARK: - Changes

extension FeedReader {
    private struct Changed {
        var feed: FeedRow
        var after: Int64

        /// The maximum number of changes. A record that changed twice has left a gap in the sequence.
        var bound: Int { Int(feed.sequence - after) }
    }

    /// Reads the changes in `changed` to the end, as far as the bytes suffice.
    private mutating func readAll(of changed: ArraySlice<Changed>) throws {
        let (rows, areAll) = try rows { isWanted in
            try transaction.query(
                wanted: ["number", "feed", "after"],
                changed.enumerated().map { [.integer(Int64($0)), .id($1.feed.id), .integer($1.after)] },
                """
                SELECT \(RecordChange.columns), wanted.number
                FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed AND record.sequence > wanted.after
                UNION ALL SELECT \(RecordChange.tombstoneColumns), wanted.number
                FROM wanted CROSS JOIN tombstone
                WHERE tombstone.feed = wanted.feed AND tombstone.sequence > wanted.after
                ORDER BY number, sequence
                """, while: isWanted)
        }
        let last: FeedID? = areAll ? nil : try rows.last?.id(0)
        try count(rows)
        var records: [FeedID: [RecordChange]] = [:]
        for row in rows { records[try row.id(0), default: []].append(try RecordChange(row)) }
        for part in changed {
            let some = records[part.feed.id] ?? []
            if part.feed.id == last { return breakOff(part, after: some) }
            finish(part.feed, some)
        }
    }

    /// Reads the changes of one feed. SQLite merges the two tables in the order of their indexes, so this costs what is
    /// read, and not what has changed.
    private mutating func readSome(of part: Changed) throws {
        if finishKnown(part) { return }
        let start: [SQLValue] = [.id(part.feed.id), .integer(part.after)]
        let limit = SQLValue.integer(Int64(budget) + 1)
        let (rows, areAll) = try rows { isWanted in
            try transaction.query(
                """
                SELECT \(RecordChange.columns) FROM record WHERE record.feed = ? AND record.sequence > ?
                UNION ALL SELECT \(RecordChange.tombstoneColumns) FROM tombstone
                WHERE tombstone.feed = ? AND tombstone.sequence > ? ORDER BY sequence LIMIT ?
                """, start + start + [limit], while: isWanted)
        }
        let isWhole = areAll && rows.count <= budget
        let wanted = rows.prefix(budget)
        try count(wanted)
        let records = try wanted.map { try RecordChange($0) }
        if isWhole { return finish(part.feed, records) }
        breakOff(part, after: records)
    }

    /// Answers the changes of a feed if they are all known: each sequence belongs to at most one record.
    ///
    /// - Returns: Whether they are, and fit.
    private mutating func finishKnown(_ part: Changed) -> Bool {
        let changes = known.all.filter { $0.record.feed == part.feed.id && $0.record.change.sequence > part.after }
        let size = changes.reduce(0) { $0 + $1.bytes }
        guard changes.count == part.bound, changes.count <= budget, size <= bytes else { return false }
        budget -= changes.count
        bytes -= size
        bytesRead += size
        finish(part.feed, changes.map(\.record.change).sorted { $0.sequence < $1.sequence })
        return true
    }

    private mutating func breakOff(_ part: Changed, after records: [RecordChange]) {
        positions.feeds[part.feed.id] = .changes(after: records.last?.sequence ?? part.after)
        answer.append(FeedChanges(feed: part.feed.id, changes: records, isComplete: false))
        hasMore = true
    }
}

// MARK: - Pages

extension FeedReader {
    private struct Paged {
        var feed: FeedRow
        var after: RecordID<Never>?
        var since: Int64

        /// The number of records; nil if some have been read, because the remaining records need their own query.
        var bound: Int? { after == nil ? Int(feed.live) : nil }
    }

    /// Reads the feeds in `paged` completely, as far as the bytes suffice.
    private mutating func readAll(of paged: ArraySlice<Paged>) throws {
        let (rows, areAll) = try rows { isWanted in
            try transaction.query(
                wanted: ["number", "feed"], paged.enumerated().map { [.integer(Int64($0)), .id($1.feed.id)] },
                """
                SELECT \(RecordChange.columns) FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed
                ORDER BY wanted.number, record.id
                """, while: isWanted)
        }
        let last: FeedID? = areAll ? nil : try rows.last?.id(0)
        try count(rows)
        var pages: [FeedID: StoredPage] = [:]
        for row in rows { try pages[try row.id(0), default: StoredPage()].append(row) }
        for part in paged {
            let some = pages[part.feed.id] ?? StoredPage()
            if part.feed.id == last { return breakOff(part, try some.page(after: nil, through: some.last)) }
            finish(part.feed, page: try some.page(after: nil, through: nil))
        }
    }

    private mutating func readPage(of part: Paged) throws {
        let beginning: SQLValue = part.after.map { .id($0) } ?? .bytes(Data())
        let (rows, areAll) = try rows { isWanted in
            try transaction.query(
                "SELECT \(RecordChange.columns) FROM record WHERE feed = ? AND id > ? ORDER BY id LIMIT ?",
                [.id(part.feed.id), beginning, .integer(Int64(budget) + 1)], while: isWanted)
        }
        let isLast = areAll && rows.count <= budget
        let wanted = rows.prefix(budget)
        try count(wanted)
        var records = StoredPage()
        for row in wanted { try records.append(row) }
        let page = try records.page(after: part.after, through: isLast ? nil : records.last)
        if isLast && part.since == part.feed.sequence { return finish(part.feed, page: page) }
        breakOff(part, page)
    }

    private mutating func breakOff(_ part: Paged, _ page: RecordPage) {
        if let last = page.through {
            positions.feeds[part.feed.id] = .pages(after: last, since: part.since)
        } else {
            // The pages have ended. The next round reads the changes that were made in the meantime.
            positions.feeds[part.feed.id] = .changes(after: part.since)
        }
        answer.append(FeedChanges(feed: part.feed.id, changes: [], page: page, isComplete: false))
        hasMore = true
    }
}
