package import KithModel

/// Compares the digest and the number of records in each feed's row with the feed's records.
///
/// A device compares the same digest with its replica in each round.
package struct FeedCheck: Hashable, Sendable {
    /// What a feed's row says, or what its records add up to.
    private struct Content: Hashable, Sendable {
        var digest = FeedDigest()
        var live: Int64 = 0
    }

    /// What the rows of the feeds say. Records of deleted lists are removed in parts, so those feeds are left out.
    private var stated: [FeedID: Content] = [:]
    private var counted: [FeedID: Content] = [:]

    package init() {}

    /// The number of feeds that are compared.
    package var count: Int { stated.count }

    /// The feeds whose rows do not fit their records, in the order of their ids.
    package var wrong: [FeedID] {
        stated.filter { feed, content in counted[feed] ?? Content() != content }.keys.sorted()
    }

    /// Takes a row of `table`, if it is that of the feeds or of the records.
    mutating func add(_ row: SQLRow, of table: StoredTable) throws {
        switch table.name {
        case "feed":
            if try row.flag(column("closed", table)) { return }
            let feed: FeedID = try row.id(column("id", table))
            let bits = UInt64(bitPattern: try row.integer(column("digest", table)))
            stated[feed] = Content(digest: FeedDigest(bits: bits), live: try row.integer(column("live", table)))
        case "record":
            if try row.flag(column("deleted", table)) { return }
            let feed: FeedID = try row.id(column("feed", table))
            let record: RecordID<Never> = try row.id(column("id", table))
            let sequence = try row.integer(column("sequence", table))
            counted[feed, default: Content()].digest.add(record, sequence: sequence)
            counted[feed, default: Content()].live += 1
        default: return
        }
    }

    private func column(_ name: String, _ table: StoredTable) throws -> Int {
        if let index = table.index(of: name) { return index }
        throw ServerError(.internalError, "The table \(table.name) has no column \(name).")
    }
}
