import KithModel

/// Continues to read feeds from the positions of a replica, up to a maximum number of records and bytes.
///
/// Changes come before pages, so that a large new list does not delay small changes in other feeds. One query reads all
/// small feeds. A feed that may not fit completely, or that is the only one, has its own query, which sorts nothing. No
/// query is needed if the only changes are those of records that are known already, as after most pushes.
struct FeedReader {
    let transaction: any Transaction
    /// Records whose state in this snapshot is known.
    let known: NamedRecords
    /// The number of records that still fit.
    private(set) var budget: Int
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
        var changes: [ChangesPart] = []
        var pages: [PagesPart] = []
        for feed in feeds.filter({ $0.id == first }) + feeds.filter({ $0.id != first }).sorted(by: { $0.id < $1.id }) {
            switch NextPart(of: feed, from: positions.feeds[feed.id], isReread: feedsToReread.contains(feed.id)) {
            case .nothing: break
            case .changes(let after): changes.append(ChangesPart(feed: feed, after: after))
            case .pages(let after, let since):
                pages.append(PagesPart(feed: feed, after: after, since: since))
                // The token stores the request, so that a later round starts to reread even if the device does not ask
                // again.
                if after == nil && positions.feeds[feed.id] != nil { positions.feeds[feed.id] = .reread }
            }
        }
        try read(changes)
        try read(pages)
    }

    /// Reads `parts` in order while the budget lasts. One query reads all parts whose records certainly fit; a part
    /// that may not fit, or that is the only one, has its own query. If the bytes run out, nothing is read after that.
    private mutating func read<Part: FeedPart>(_ parts: [Part]) throws {
        var rest = parts[...]
        while let next = rest.first, !isFull {
            var left = budget
            let whole = rest.prefix {
                guard let bound = $0.bound else { return false }
                left -= bound
                return left >= 0
            }
            if whole.count < 2 {
                try next.read(with: &self)
                rest.removeFirst()
            } else {
                try Part.readAll(whole, with: &self)
                rest = rest.dropFirst(whole.count)
            }
        }
        if !rest.isEmpty { hasMore = true }
    }

    private var isFull: Bool { budget <= 0 || bytes <= 0 }

    // MARK: What a part has read

    /// The rows of `query` that fit the byte budget, and whether these are all rows.
    func rows(
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

    /// Whether this number of records, with this number of bytes, still fits.
    func fits(_ records: Int, bytes size: Int) -> Bool { records <= budget && size <= bytes }

    /// Subtracts records and their bytes from what still fits.
    mutating func count(_ records: Int, bytes size: Int) {
        budget -= records
        bytes -= size
        bytesRead += size
    }

    /// Subtracts rows from what still fits.
    mutating func count(_ rows: some Collection<SQLRow>) throws {
        try count(rows.count, bytes: rows.reduce(0) { try $0 + RecordChange.bytes($1) })
    }

    /// Adds the changes or the page to the answer. The replica then has the whole feed.
    mutating func finish(_ feed: FeedRow, _ changes: [RecordChange] = [], page: RecordPage? = nil) {
        positions.feeds[feed.id] = .changes(after: feed.sequence)
        answer.append(
            FeedChanges(feed: feed.id, changes: changes, page: page, isComplete: true, digest: feed.digest))
    }

    /// Adds the changes or the page to the answer. The feed has more: the next round reads on at `position`.
    mutating func breakOff(
        _ feed: FeedRow, _ changes: [RecordChange] = [], page: RecordPage? = nil, at position: FeedPositions.Position
    ) {
        positions.feeds[feed.id] = position
        answer.append(FeedChanges(feed: feed.id, changes: changes, page: page, isComplete: false))
        hasMore = true
    }
}
