import KithModel

/// The state of an account and its device in one snapshot.
struct AnswerHead {
    let epoch: String
    let revision: Revision
    /// When the account last lost a list.
    let lastLoss: Revision
    let acknowledged: Acknowledgement
    let standing: DeviceStanding

    /// Reads the state, and the feeds of `selection`, in one query.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if the account was deleted.
    static func read(
        _ request: SyncRequest, _ account: AccountID, with selection: FeedSelection, in transaction: any Transaction
    ) throws -> (head: AnswerHead, feeds: [SelectedFeed]) {
        let rows = try transaction.query(
            selection.isWhole ? queryWithAllFeeds : queryWithChangedFeeds,
            [.integer(request.acknowledged.number), .id(request.device), .id(account)] + selection.allValues)
        // Only a deleted account has no row. It may still be in lists for a moment.
        guard let head = rows.first(where: { $0.isNull(0) }) else { throw ServerError.accountClosed }
        return (
            try AnswerHead(head, from: FeedSelection.width, request),
            try rows.filter { !$0.isNull(0) }.map(SelectedFeed.init)
        )
    }

    // Each is written once, because a round with nothing new does little else.
    private static let queryWithAllFeeds = query(with: FeedSelection.queries(isWhole: true))
    private static let queryWithChangedFeeds = query(with: FeedSelection.queries(isWhole: false))

    private static func query(with feeds: [FeedSelection.Query]) -> String {
        func nothing(_ count: Int) -> String { repeatElement("NULL", count: count).joined(separator: ", ") }
        let feeds = feeds.map { "\nUNION ALL SELECT \($0.columns), \(nothing(6)) \($0.rest)" }.joined()
        return """
            SELECT \(nothing(FeedSelection.width)), (SELECT value FROM meta WHERE name = '\(Meta.epochName)'),
                \(Revision.current), (SELECT MAX(revision) FROM lost_access WHERE lost_access.account = account.id),
                device.last, (SELECT hash FROM taken WHERE taken.account = device.account
                    AND taken.device = device.id AND taken.number = device.last),
                (SELECT hash FROM taken WHERE taken.account = device.account AND taken.device = device.id
                    AND taken.number = ?)
            FROM account LEFT JOIN device ON device.account = account.id AND device.id = ?
            WHERE account.id = ?\(feeds)
            """
    }

    private init(_ row: SQLRow, from start: Int, _ request: SyncRequest) throws {
        epoch = try row.text(start)
        revision = try row.revision(start + 1)
        lastLoss = row.isNull(start + 2) ? .zero : try row.revision(start + 2)
        let last = row.isNull(start + 3) ? 0 : try row.integer(start + 3)
        acknowledged = Acknowledgement(number: last, hash: try row.optionalText(start + 4) ?? "")
        var hashes: [Int64: String] = [:]
        hashes[request.acknowledged.number] = try row.optionalText(start + 5)
        standing =
            Numbering(last: last, hashes: hashes).decision(
                on: Numbering.Report(acknowledged: request.acknowledged, sent: request.sent, hashes: [])
            ).standing
    }
}
