import Foundation
import KithModel

/// Reads feeds on from a place, up to a number of records.
///
/// Changes come before pages, so that a large new list does not hold up the
/// small news of others. All small feeds together are one query; only a feed
/// that may not fit as a whole takes one of its own.
struct FeedReader {
    private let transaction: any Transaction
    private var budget: Int
    /// Where the replica is after the answer.
    private(set) var place: ReadingPlace
    private(set) var answer: [FeedChanges] = []
    /// Whether another round would bring more at once.
    private(set) var hasMore = false

    init(_ transaction: any Transaction, _ place: ReadingPlace, budget: Int) {
        self.transaction = transaction
        self.place = place
        self.budget = budget
    }

    /// Reads what is new in `feeds`, and those of `feedsToReread` from their beginning.
    ///
    /// `first` comes before the others: the account's own feed, which names the lists.
    mutating func read(_ feeds: [FeedRow], first: FeedID, reread feedsToReread: Set<FeedID>) throws {
        var changed: [Changed] = []
        var paged: [Paged] = []
        for feed in feeds.filter({ $0.id == first }) + feeds.filter({ $0.id != first }).sorted(by: { $0.id < $1.id }) {
            switch FeedReading(of: feed, from: place.feeds[feed.id], isReread: feedsToReread.contains(feed.id)) {
            case .nothing: break
            case .changes(let after): changed.append(Changed(feed: feed, after: after))
            case .pages(let after, let since):
                paged.append(Paged(feed: feed, after: after, since: since))
                // Kept in the token, so that it is begun in a later round though the device does not ask again.
                if after == nil && place.feeds[feed.id] != nil { place.feeds[feed.id] = .reread }
            }
        }
        try read(changed)
        try read(paged)
    }

    private mutating func finish(_ feed: FeedRow, _ changes: [RecordChange] = [], page: RecordPage? = nil) {
        place.feeds[feed.id] = .changes(after: feed.sequence)
        answer.append(
            FeedChanges(feed: feed.id, changes: changes, page: page, isComplete: true, digest: feed.digest))
    }

    /// The records of `rows` by feed, each in the order of the rows; counted against the budget.
    private mutating func recordsByFeed(_ rows: [SQLRow]) throws -> [FeedID: [RecordChange]] {
        budget -= rows.count
        var records: [FeedID: [RecordChange]] = [:]
        for row in rows { records[try row.id(0), default: []].append(try RecordChange(row)) }
        return records
    }
}

// MARK: - Changes

extension FeedReader {
    private struct Changed {
        var feed: FeedRow
        var after: Int64

        /// The most changes that there can be: a record that changed twice has left a gap.
        var bound: Int { Int(feed.sequence - after) }
    }

    private mutating func read(_ changed: [Changed]) throws {
        var rest = changed[...]
        while let next = rest.first, budget > 0 {
            var bound = 0
            let whole = rest.prefix {
                bound += $0.bound
                return bound <= budget
            }
            if whole.isEmpty {
                try readSome(of: next)
                rest.removeFirst()
            } else {
                try readAll(of: whole)
                rest = rest.dropFirst(whole.count)
            }
        }
        if !rest.isEmpty { hasMore = true }
    }

    private mutating func readAll(of changed: ArraySlice<Changed>) throws {
        let rows = try transaction.query(
            wanted: ["feed", "after"], changed.map { [.id($0.feed.id), .integer($0.after)] },
            """
            SELECT \(RecordChange.columns)
            FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed AND record.sequence > wanted.after
            ORDER BY record.feed, record.sequence
            """)
        let records = try recordsByFeed(rows)
        for part in changed { finish(part.feed, records[part.feed.id] ?? []) }
    }

    private mutating func readSome(of part: Changed) throws {
        let rows = try transaction.query(
            """
            SELECT \(RecordChange.columns) FROM record WHERE feed = ? AND sequence > ? ORDER BY sequence LIMIT ?
            """, [.id(part.feed.id), .integer(part.after), .integer(Int64(budget) + 1)])
        let isWhole = rows.count <= budget
        let records = try recordsByFeed(Array(rows.prefix(budget)))[part.feed.id] ?? []
        if isWhole { return finish(part.feed, records) }
        place.feeds[part.feed.id] = .changes(after: records.last?.sequence ?? part.after)
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
    }

    private mutating func read(_ paged: [Paged]) throws {
        var rest = paged[...]
        while let next = rest.first, budget > 0 {
            var bound = 0
            let whole = rest.prefix {
                bound += Int($0.feed.live)
                return $0.after == nil && bound <= budget
            }
            if whole.isEmpty {
                try readPage(of: next)
                rest.removeFirst()
            } else {
                try readAll(of: whole)
                rest = rest.dropFirst(whole.count)
            }
        }
        if !rest.isEmpty { hasMore = true }
    }

    private mutating func readAll(of paged: ArraySlice<Paged>) throws {
        let rows = try transaction.query(
            wanted: ["feed"], paged.map { [.id($0.feed.id)] },
            """
            SELECT \(RecordChange.columns) FROM wanted CROSS JOIN record
            WHERE record.feed = wanted.feed AND record.deleted = 0
            ORDER BY record.feed, record.id
            """)
        let records = try recordsByFeed(rows)
        for part in paged {
            finish(part.feed, page: RecordPage(after: nil, through: nil, records: records[part.feed.id] ?? []))
        }
    }

    private mutating func readPage(of part: Paged) throws {
        let beginning: SQLValue = part.after.map { .id($0) } ?? .bytes(Data())
        let rows = try transaction.query(
            """
            SELECT \(RecordChange.columns) FROM record
            WHERE feed = ? AND id > ? AND deleted = 0 ORDER BY id LIMIT ?
            """, [.id(part.feed.id), beginning, .integer(Int64(budget) + 1)])
        let isLast = rows.count <= budget
        let records = try recordsByFeed(Array(rows.prefix(budget)))[part.feed.id] ?? []
        let page = RecordPage(after: part.after, through: isLast ? nil : records.last?.id, records: records)
        if isLast && part.since == part.feed.sequence { return finish(part.feed, page: page) }
        if let last = page.through {
            place.feeds[part.feed.id] = .pages(after: last, since: part.since)
        } else {
            // The pages have ended; what changed while they were read follows in the next round.
            place.feeds[part.feed.id] = .changes(after: part.since)
        }
        answer.append(FeedChanges(feed: part.feed.id, changes: [], page: page, isComplete: false))
        hasMore = true
    }
}

extension RecordPage {
    /// A page of these records, which are in the order of their ids.
    fileprivate init(after: RecordID<Never>?, through: RecordID<Never>?, records: [RecordChange]) {
        let collections = Dictionary(grouping: records, by: \.collection).sorted { $0.key < $1.key }
        self.init(after: after, through: through, columns: collections.map { Columns(collection: $0, records: $1) })
    }
}
