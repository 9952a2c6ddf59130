import KithModel

/// The state of an account in one snapshot, and the result of its device's push.
struct AnswerHead {
    let epoch: String
    let revision: Revision
    /// When the account last lost a list.
    let lastLoss: Revision
    /// The result of the push, or the device's state if there was none.
    let push: PushResult

    /// Reads the state, and the feeds of `selection`, in one query. The device is not read if a push has found it.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if the account was deleted.
    static func read(
        _ request: SyncRequest, _ account: AccountID, after pushed: PushResult?,
        with selection: FeedSelection,
        in transaction: any Transaction
    ) throws -> (head: AnswerHead, feeds: [SelectedFeed]) {
        let query =
            switch (selection.isWhole, pushed == nil) {
            case (true, true): queryWithAllFeeds
            case (false, true): queryWithChangedFeeds
            case (true, false): queryAfterPushWithAllFeeds
            case (false, false): queryAfterPushWithChangedFeeds
            }
        let device: [SQLValue] =
            pushed == nil ? [.integer(request.acknowledged.number), .id(request.device)] : []
        let rows = try transaction.query(query, device + [.id(account)] + selection.allValues)
        // Only a deleted account has no row. It may still be in lists for a moment.
        guard let head = rows.first(where: { $0.isNull(0) }) else { throw ServerError.accountClosed }
        return (
            try AnswerHead(head, from: FeedSelection.width, request, after: pushed),
            try rows.filter { !$0.isNull(0) }.map(SelectedFeed.init)
        )
    }

    // Each is written once, because a round with nothing new does little else.
    private static let queryWithAllFeeds = query(with: FeedSelection.queries(isWhole: true), readsDevice: true)
    private static let queryWithChangedFeeds = query(with: FeedSelection.queries(isWhole: false), readsDevice: true)
    private static let queryAfterPushWithAllFeeds = query(
        with: FeedSelection.queries(isWhole: true), readsDevice: false)
    private static let queryAfterPushWithChangedFeeds = query(
        with: FeedSelection.queries(isWhole: false), readsDevice: false)

    private static func query(with feeds: [FeedSelection.Query], readsDevice: Bool) -> String {
        func nothing(_ count: Int) -> String { repeatElement("NULL", count: count).joined(separator: ", ") }
        let feeds = feeds.map { "\nUNION ALL SELECT \($0.columns), \(nothing(6)) \($0.rest)" }.joined()
        let device = """
            device.last, (SELECT hash FROM taken WHERE taken.account = device.account
                    AND taken.device = device.id AND taken.number = device.last),
                (SELECT hash FROM taken WHERE taken.account = device.account AND taken.device = device.id
                    AND taken.number = ?)
            """
        let join = "LEFT JOIN device ON device.account = account.id AND device.id = ?"
        return """
            SELECT \(nothing(FeedSelection.width)), (SELECT value FROM meta WHERE name = '\(Meta.epochName)'),
                \(Revision.current), (SELECT MAX(revision) FROM lost_access WHERE lost_access.account = account.id),
                \(readsDevice ? device : nothing(3))
            FROM account \(readsDevice ? join : "") WHERE account.id = ?\(feeds)
            """
    }

    private init(_ row: SQLRow, from start: Int, _ request: SyncRequest, after pushed: PushResult?) throws {
        epoch = try row.text(start)
        revision = try row.revision(start + 1)
        lastLoss = row.isNull(start + 2) ? .zero : try row.revision(start + 2)
        push = try pushed ?? Self.resultWithoutPush(row, from: start + 3, request)
    }

    /// The device's state: without mutations, nothing is taken now.
    private static func resultWithoutPush(
        _ row: SQLRow, from start: Int, _ request: SyncRequest
    ) throws -> PushResult {
        let last = row.isNull(start) ? 0 : try row.integer(start)
        var hashes: [Int64: String] = [:]
        hashes[request.acknowledged.number] = try row.optionalText(start + 2)
        let standing = Numbering(last: last, hashes: hashes).decision(
            on: Numbering.Report(acknowledged: request.acknowledged, sent: request.sent, hashes: [])
        ).standing
        return PushResult(
            standing: standing,
            acknowledged: Acknowledgement(number: last, hash: try row.optionalText(start + 1) ?? ""),
            outcomes: standing == .recognised ? nil : [])
    }
}
