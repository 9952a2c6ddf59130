import KithModel

/// The changes of a feed after a sequence.
struct ChangesPart: FeedPart {
    let feed: FeedRow
    let after: Int64

    /// The maximum number of changes. A record that changed twice has left a gap in the sequence.
    var bound: Int? { Int(feed.sequence - after) }

    static func readAll(_ parts: ArraySlice<ChangesPart>, with reader: inout FeedReader) throws {
        let (rows, areAll) = try reader.rows { isWanted in
            try reader.transaction.query(
                wanted: ["number", "feed", "after"],
                parts.enumerated().map { [.integer(Int64($0)), .id($1.feed.id), .integer($1.after)] },
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
        try reader.count(rows)
        var records: [FeedID: [RecordChange]] = [:]
        for row in rows { records[try row.id(0), default: []].append(try RecordChange(row)) }
        for part in parts {
            let some = records[part.feed.id] ?? []
            if part.feed.id == last { return part.breakOff(after: some, in: &reader) }
            reader.finish(part.feed, some)
        }
    }

    /// SQLite merges the two tables in the order of their indexes, so this costs what is read, and not what has changed.
    func read(with reader: inout FeedReader) throws {
        if finishKnown(in: &reader) { return }
        let start: [SQLValue] = [.id(feed.id), .integer(after)]
        let limit = SQLValue.integer(Int64(reader.budget) + 1)
        let (rows, areAll) = try reader.rows { isWanted in
            try reader.transaction.query(
                """
                SELECT \(RecordChange.columns) FROM record WHERE record.feed = ? AND record.sequence > ?
                UNION ALL SELECT \(RecordChange.tombstoneColumns) FROM tombstone
                WHERE tombstone.feed = ? AND tombstone.sequence > ? ORDER BY sequence LIMIT ?
                """, start + start + [limit], while: isWanted)
        }
        let isWhole = areAll && rows.count <= reader.budget
        let wanted = rows.prefix(reader.budget)
        try reader.count(wanted)
        let records = try wanted.map { try RecordChange($0) }
        if isWhole { return reader.finish(feed, records) }
        breakOff(after: records, in: &reader)
    }

    /// Answers the changes if they are all known: each sequence belongs to at most one record.
    ///
    /// - Returns: Whether they are, and fit.
    private func finishKnown(in reader: inout FeedReader) -> Bool {
        let changes = reader.known.all.filter { $0.record.feed == feed.id && $0.record.change.sequence > after }
        let size = changes.reduce(0) { $0 + $1.bytes }
        guard changes.count == bound, reader.fits(changes.count, bytes: size) else { return false }
        reader.count(changes.count, bytes: size)
        reader.finish(feed, changes.map(\.record.change).sorted { $0.sequence < $1.sequence })
        return true
    }

    private func breakOff(after records: [RecordChange], in reader: inout FeedReader) {
        reader.breakOff(feed, records, at: .changes(after: records.last?.sequence ?? after))
    }
}
