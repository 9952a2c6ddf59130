import Foundation
import KithModel

/// The live records of a feed, in the order of their ids.
struct PagesPart: FeedPart {
    let feed: FeedRow
    /// The last record that was read; nil at the beginning.
    let after: RecordID<Never>?
    /// The sequence that the feed had when the pages began.
    let since: Int64

    /// The number of records; nil if some have been read, because the remaining records need their own query.
    var bound: Int? { after == nil ? Int(feed.live) : nil }

    static func readAll(_ parts: ArraySlice<PagesPart>, with reader: inout FeedReader) throws {
        let (rows, areAll) = try reader.rows { isWanted in
            try reader.transaction.query(
                wanted: ["number", "feed"], parts.enumerated().map { [.integer(Int64($0)), .id($1.feed.id)] },
                """
                SELECT \(RecordChange.columns) FROM wanted CROSS JOIN record WHERE record.feed = wanted.feed
                ORDER BY wanted.number, record.id
                """, while: isWanted)
        }
        let last: FeedID? = areAll ? nil : try rows.last?.id(0)
        try reader.count(rows)
        var pages: [FeedID: StoredPage] = [:]
        for row in rows { try pages[try row.id(0), default: StoredPage()].append(row) }
        for part in parts {
            let some = pages[part.feed.id] ?? StoredPage()
            if part.feed.id == last {
                return part.breakOff(after: try some.page(after: nil, through: some.last), in: &reader)
            }
            reader.finish(part.feed, page: try some.page(after: nil, through: nil))
        }
    }

    func read(with reader: inout FeedReader) throws {
        let beginning: SQLValue = after.map { .id($0) } ?? .bytes(Data())
        let (rows, areAll) = try reader.rows { isWanted in
            try reader.transaction.query(
                "SELECT \(RecordChange.columns) FROM record WHERE feed = ? AND id > ? ORDER BY id LIMIT ?",
                [.id(feed.id), beginning, .integer(Int64(reader.budget) + 1)], while: isWanted)
        }
        let isLast = areAll && rows.count <= reader.budget
        let wanted = rows.prefix(reader.budget)
        try reader.count(wanted)
        var records = StoredPage()
        for row in wanted { try records.append(row) }
        let page = try records.page(after: after, through: isLast ? nil : records.last)
        if isLast && since == feed.sequence { return reader.finish(feed, page: page) }
        breakOff(after: page, in: &reader)
    }

    /// If the pages have ended, the next round reads the changes that were made in the meantime.
    private func breakOff(after page: RecordPage, in reader: inout FeedReader) {
        reader.breakOff(
            feed, page: page,
            at: page.through.map { .pages(after: $0, since: since) } ?? .changes(after: since))
    }
}
