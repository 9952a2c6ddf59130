import KithModel

/// The registered identities under one key, in a node's memory. The table does not contain the identities themselves.
///
/// The table is a value: it can be read while its successor is being built. The first bits of the prefixes assign the
/// rows to bins, and each bin is sorted by tags. A bucket of any size is therefore a range of bins or a part of one
/// bin, and the order does not reveal who joined when.
struct BucketTable: Sendable {
    /// An identity that is or was registered.
    struct Row: Sendable {
        var prefix: UInt64
        var tag: UInt64
        var account: MaskedAccount
        var sequence: Int64
        var isGone: Bool
    }

    /// The newest sequence in the table.
    private(set) var sequence: Int64 = 0
    /// The number of discoverable identities.
    private(set) var count = 0
    private var bins = [[Row]](repeating: [], count: 1 << binBits)
    /// The newest sequence in each bin, so that only bins with changes are searched.
    private var newest = [Int64](repeating: 0, count: 1 << binBits)

    /// The number of discoverable identities in each bin.
    private var found = [Int](repeating: 0, count: 1 << binBits)

    private static let binBits = 14

    /// The number of bits of a bucket's prefix: the maximum that still leaves enough identities in each bucket.
    var bits: Int {
        var bits = 0
        while bits < Limits.bucketBits, count >> (bits + 1) >= Limits.bucketCrowd { bits += 1 }
        return bits
    }

    /// Inserts the first rows, in any order. No row occurs twice.
    mutating func fill(_ rows: some Sequence<Row>, through sequence: Int64) {
        for row in rows {
            let bin = Self.bin(row)
            bins[bin].append(row)
            newest[bin] = max(newest[bin], row.sequence)
            if !row.isGone { note(1, in: bin) }
        }
        for bin in bins.indices where bins[bin].count > 1 { bins[bin].sort { $0.tag < $1.tag } }
        self.sequence = sequence
    }

    /// Inserts a row, or replaces the row of its identity.
    mutating func put(_ row: Row) {
        let bin = Self.bin(row)
        var place = bins[bin].partitionIndex { $0.tag >= row.tag }
        while place < bins[bin].count, bins[bin][place].tag == row.tag, bins[bin][place].prefix != row.prefix {
            place += 1
        }
        if place < bins[bin].count, bins[bin][place].tag == row.tag {
            if !bins[bin][place].isGone { note(-1, in: bin) }
            bins[bin][place] = row
        } else {
            bins[bin].insert(row, at: place)
        }
        if !row.isGone { note(1, in: bin) }
        newest[bin] = max(newest[bin], row.sequence)
        sequence = max(sequence, row.sequence)
    }

    private mutating func note(_ change: Int, in bin: Int) {
        count += change
        found[bin] += change
    }

    /// Whether a bucket has so few entries that it is padded. Its changes would reveal which entries are padding.
    func isPadded(_ prefix: UInt32, bits: Int) -> Bool {
        if bits <= Self.binBits {
            let width = Self.binBits - bits
            return found[(Int(prefix) << width)..<(Int(prefix + 1) << width)].reduce(0, +) < Limits.bucketFloor
        }
        var count = 0
        forEachRow(in: prefix, bits, after: -1) { if !$0.isGone { count += 1 } }
        return count < Limits.bucketFloor
    }

    /// Records that the table has been read up to this sequence, even if the last rows were purged.
    mutating func note(_ sequence: Int64) { self.sequence = max(self.sequence, sequence) }

    /// Whether the server offers a filter: not while one bucket has everything, nor if the filter would be larger than the
    /// largest answer.
    var hasFilter: Bool { bits > 0 && TagFilter.size(of: count) <= Limits.pageBytes }

    /// The tags of all entries of the buckets, padding included: without it, the filter would reveal which entries of a
    /// bucket are padding.
    func filter(padding: Padding) -> TagFilter {
        var tags: [UInt64] = []
        tags.reserveCapacity(count)
        for bin in bins { for row in bin where !row.isGone { tags.append(row.tag) } }
        for prefix in 0..<(UInt32(1) << UInt32(bits)) where isPadded(prefix, bits: bits) {
            let rows = Set(self.whole(prefix, bits: bits, padding: nil).entries.map(\.tag))
            tags += whole(prefix, bits: bits, padding: padding).entries.map(\.tag).filter { !rows.contains($0) }
        }
        return TagFilter(tags, sequence: sequence)
    }

    /// All entries of a bucket, padded to ``Limits/bucketFloor`` entries.
    func whole(_ prefix: UInt32, bits: Int, padding: Padding?) -> BucketAnswer.Bucket {
        var entries: [BucketAnswer.Entry] = []
        forEachRow(in: prefix, bits, after: -1) { row in
            if !row.isGone { entries.append(BucketAnswer.Entry(tag: row.tag, account: row.account)) }
        }
        if let padding, entries.count < Limits.bucketFloor {
            entries += (entries.count..<Limits.bucketFloor).map { padding.entry(Limits.bucketFloor - $0, prefix, bits) }
            entries.sort { $0.tag < $1.tag }
        }
        return BucketAnswer.Bucket(prefix: prefix, entries: entries)
    }

    /// The changes in a bucket after a sequence.
    func changes(_ prefix: UInt32, bits: Int, since: Int64) -> BucketAnswer.Bucket {
        var bucket = BucketAnswer.Bucket(prefix: prefix, entries: [])
        forEachRow(in: prefix, bits, after: since) { row in
            if row.isGone {
                bucket.gone.append(row.tag)
            } else {
                bucket.entries.append(BucketAnswer.Entry(tag: row.tag, account: row.account))
            }
        }
        return bucket
    }

    private func forEachRow(in prefix: UInt32, _ bits: Int, after since: Int64, _ body: (Row) -> Void) {
        if bits <= Self.binBits {
            let width = Self.binBits - bits
            for bin in (Int(prefix) << width)..<(Int(prefix + 1) << width) where newest[bin] > since {
                for row in bins[bin] where row.sequence > since { body(row) }
            }
        } else {
            let bin = Int(prefix) >> (bits - Self.binBits)
            for row in bins[bin]
            where row.sequence > since && DiscoveryOutput.bucket(of: row.prefix, bits) == prefix { body(row) }
        }
    }

    private static func bin(_ row: Row) -> Int { Int(DiscoveryOutput.bucket(of: row.prefix, binBits)) }
}
