import KithModel

/// The state of an account in one snapshot, and the result of its device's push.
struct AnswerHead {
    let epoch: String
    let revision: Revision
    /// When the account last lost a list.
    let lastLoss: Revision
    /// The result of the push, or the device's state if there was none.
    let push: PushResult

    /// Reads the state, and the feeds that the device may have to read: those that have changed after `start`, or all if it is
    /// nil. The device is not read if a push has found it, nor are the feeds that only the push has changed.
    ///
    /// If nothing else is new, this is one query with one row.
    ///
    /// - Throws: ``ServerError`` with the code `accountClosed` if the account was deleted.
    static func read(
        _ request: SyncRequest, _ account: AccountID, after pushed: PushResult?, since start: Revision?,
        in transaction: any Transaction
    ) throws -> (head: AnswerHead, feeds: [SelectedFeed]) {
        guard let start else { return try readWithAllFeeds(request, account, after: pushed, in: transaction) }
        let own = pushed?.feeds(since: start)
        var values = FeedSelection.valuesOfWay(after: start, except: own == nil ? .zero : pushed?.revision ?? .zero)
        if pushed == nil {
            values.insert(.integer(request.acknowledged.number), at: 0)
            values.append(.id(request.device))
        }
        values.append(.id(account))
        let rows = try transaction.query(pushed == nil ? queryWithWay : queryAfterPushWithWay, values)
        // Only a deleted account has no row. It may still be in lists for a moment.
        guard let row = rows.first else { throw ServerError.accountClosed }
        let head = try AnswerHead(row, from: 0, request, after: pushed)
        let found = row.isNull(columns) ? nil : FeedSelection.Way(rawValue: try row.integer(columns))
        // If the account has lost a list since then, it may be one that the push has changed.
        if found == nil, own?.isEmpty ?? true || head.lastLoss <= start { return (head, own ?? []) }
        let changed = FeedSelection(changedAfter: start, for: account, found ?? .fromAccess)
        return (head, try changed.read(in: transaction))
    }

    /// Reads the state together with all feeds of the account.
    private static func readWithAllFeeds(
        _ request: SyncRequest, _ account: AccountID, after pushed: PushResult?, in transaction: any Transaction
    ) throws -> (head: AnswerHead, feeds: [SelectedFeed]) {
        let device: [SQLValue] =
            pushed == nil ? [.integer(request.acknowledged.number), .id(request.device)] : []
        let rows = try transaction.query(
            pushed == nil ? queryWithAllFeeds : queryAfterPushWithAllFeeds, device + [.id(account), .id(account)])
        guard let head = rows.first(where: { $0.isNull(0) }) else { throw ServerError.accountClosed }
        return (
            try AnswerHead(head, from: FeedSelection.width, request, after: pushed),
            try rows.filter { !$0.isNull(0) }.map(SelectedFeed.init)
        )
    }

    // Each is written once, because a round with nothing new does little else.
    private static let queryWithAllFeeds = withAllFeeds(readsDevice: true)
    private static let queryAfterPushWithAllFeeds = withAllFeeds(readsDevice: false)
    private static let queryWithWay = query("", readsDevice: true, ", \(FeedSelection.way)")
    private static let queryAfterPushWithWay = query("", readsDevice: false, ", \(FeedSelection.way)")

    private static func withAllFeeds(readsDevice: Bool) -> String {
        let state = query(nothing(FeedSelection.width) + ", ", readsDevice: readsDevice, "")
        return """
            \(state)
            UNION ALL SELECT \(FeedSelection.columnsOfAll), \(nothing(columns)) \(FeedSelection.tablesOfAll)
            """
    }

    /// The number of columns that ``init(_:from:_:after:)`` reads.
    private static let columns = 6

    private static func nothing(_ count: Int) -> String { repeatElement("NULL", count: count).joined(separator: ", ") }

    /// A query of the state, with further columns before and after its own.
    private static func query(_ before: String, readsDevice: Bool, _ after: String) -> String {
        let device = """
            device.last, (SELECT hash FROM taken WHERE taken.account = device.account
                    AND taken.device = device.id AND taken.number = device.last),
                (SELECT hash FROM taken WHERE taken.account = device.account AND taken.device = device.id
                    AND taken.number = ?)
            """
        let join = "LEFT JOIN device ON device.account = account.id AND device.id = ?"
        return """
            SELECT \(before)(SELECT value FROM meta WHERE name = '\(Meta.epochName)'),
                \(Revision.current), (SELECT MAX(revision) FROM lost_access WHERE lost_access.account = account.id),
                \(readsDevice ? device : nothing(3))\(after)
            FROM account \(readsDevice ? join : "") WHERE account.id = ?
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
