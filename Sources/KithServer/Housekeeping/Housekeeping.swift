package import KithModel

/// Deletes data with a limited lifetime: old tombstones, the records of deleted lists, expired links, the outcomes of
/// mutations of devices that have long been silent, pictures that no profile names, daily quotas, visitors, delivered messages,
/// codes, pairings, SMS, ceremonies of passkeys, events of webhooks, turns of accounts in background jobs, stored signals, rates
/// of callers, and sessions of operators.
///
/// It works in small transactions, so that rounds can run between them.
package struct Housekeeping: Sendable {
    private let database: any Database
    private let signals: SignalSender
    /// The maximum number of rows that one transaction removes.
    private let step: Int64

    /// Housekeeping for `database`, which sends the signals of its commits.
    package init(database: any Database, signals: SignalSender, step: Int64 = 5_000) {
        self.database = database
        self.signals = signals
        self.step = step
    }

    /// Purges data that is older than ``Limits/tombstones``. A replica that has not read that far rereads its feed.
    ///
    /// - Returns: The number of deleted rows.
    @discardableResult
    package func purge(_ now: Timestamp) async throws -> Int {
        var removed = 0
        for job in HousekeepingTasks.all {
            var isDone = false
            while !isDone {
                let swept = try await signals.commit(in: database) { [step] transaction in
                    let swept = try job(transaction, now, step)
                    return Committed(swept, signals: Signals(moved: swept.moved))
                }
                removed += swept.rows
                isDone = swept.isDone
            }
        }
        return removed
    }
}

/// The jobs. Each processes at most the given number of rows and returns the number that it processed. It runs until it has
/// nothing left to delete.
private enum HousekeepingTasks {
    static let all =
        [tombstones, closedLists, expiredPublicLinks, silentDevices, pictures, quotas, visits, messages] + byAge

    /// The tables whose rows only need to be old.
    private static let byAge = [
        old("link", by: "expires", age: Limits.tombstones),
        // Codes that count toward no limit any more.
        old("code", age: CodeLimits().window),
        old("pairing", age: PairingLimits.kept),
        // SMS that are not judged any more, and pauses of prefixes that were released long ago.
        old("sms", age: SMSTable.kept),
        old("prefix_pause", key: ["prefix"], by: "released", age: SMSTable.kept),
        // Expired ceremonies of passkeys, and sign-ins at issuers that nobody has finished.
        old("ceremony", age: PasskeyLimits().lifetime),
        old("issuer_login", key: ["state"], age: IssuerLimits().lifetime),
        // Events of webhooks, sent or not.
        old("webhook_delivery", age: WebhookLimits.kept),
        // Turns before the first one of new work.
        old("work_turn", key: ["account", "job"], by: "due", age: WorkTurn.lead),
        // Signals for nodes that were not listening.
        old("signal", key: ["number"], by: "written_at", age: NodeTimes.kept),
        // Rates of callers whose buckets have been full for long, also if the clocks of node and database differ.
        old("rate_use", key: ["caller", "kind"], by: "full_at", age: .minutes(60)),
        // Sessions of the operator's pages that have ended.
        old("operator_session", key: ["hash"], by: "expires", age: .zero),
    ]

    private static func old(
        _ table: String, key: [String] = ["id"], by column: String = "created", age: Duration
    ) -> Job {
        { transaction, now, step in
            Swept(
                rows: try transaction.deleteOld(
                    from: table, key, where: column, isBefore: .time(now - age), limit: step))
        }
    }

    typealias Job = @Sendable (any Transaction, Timestamp, Int64) throws -> Swept

    /// The result of one transaction of a job.
    struct Swept: Sendable {
        /// The number of deleted rows.
        var rows: Int
        /// The lists that moved as a result.
        var moved: Set<FeedID> = []
        var isDone: Bool
    }

    /// Old tombstones, oldest first. The horizons of their feeds rise accordingly.
    static let tombstones: Job = { transaction, now, step in
        let old = try transaction.query(
            "SELECT feed, id, sequence, revision FROM tombstone WHERE modified < ? ORDER BY modified, feed, id LIMIT ?",
            [.time(now - Limits.tombstones), .integer(step)])
        let horizons: [FeedID: (sequence: Int64, revision: Revision)] = try old.reduce(into: [:]) { horizons, row in
            let (feed, sequence): (FeedID, Int64) = (try row.id(0), try row.integer(2))
            let known = horizons[feed] ?? (sequence: 0, revision: .zero)
            horizons[feed] = (max(known.sequence, sequence), max(known.revision, try row.revision(3)))
        }
        try FeedRow.change(Set(horizons.keys), in: transaction) { feed in
            guard let horizon = horizons[feed.id] else { return }
            feed.horizon = max(feed.horizon, horizon.sequence)
            feed.horizonRevision = max(feed.horizonRevision, horizon.revision)
        }
        // A record that was deleted again while this transaction waited for its feed has another sequence, and stays.
        try transaction.delete(from: "tombstone", ["feed", "id", "sequence"], old.map { Array($0.values.prefix(3)) })
        return Swept(rows: old.count)
    }

    /// The live records of deleted lists, if their background job has failed or was interrupted.
    static let closedLists: Job = { transaction, _, step in
        Swept(rows: try ClosedLists.clear(step, in: transaction))
    }

    /// Expired public links. Their lists are no longer marked as public.
    static let expiredPublicLinks: Job = { transaction, now, step in
        let expired = try transaction.query(
            "SELECT id, list FROM link WHERE expires <= ? AND is_public = 1 AND revoked = 0 ORDER BY expires, id LIMIT ?",
            [.time(now), .integer(min(step, 100))])
        if expired.isEmpty { return Swept(rows: 0) }
        var needs = LedgerNeeds()
        for row in expired { needs.readPeople(of: try row.id(1)) }
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        for list in needs.lists.keys.sorted() { ledger.settleAccess(of: list) }
        let signals = try ledger.write(in: transaction)
        try transaction.execute(
            wanted: ["id"], expired.map { [$0.values[0]] },
            "UPDATE link SET revoked = 1 WHERE id IN (SELECT id FROM wanted)")
        return Swept(rows: expired.count, moved: signals.moved)
    }

    /// The outcomes of devices from which nothing was taken for a long time, except the last outcome of each device.
    ///
    /// A device is never forgotten completely. It may come back with a request whose answer it never received. The
    /// server then recognises it by the last number that was taken, and sends it the rejections.
    static let silentDevices: Job = { transaction, now, step in
        let bound = now - Limits.tombstones
        let silent = try transaction.query(
            """
            SELECT account, id, last FROM device WHERE taken_day <= ? AND taken_at < ?
            ORDER BY taken_day, account, id LIMIT 100
            """, [.integer(bound.day), .time(bound)])
        let old = try transaction.query(
            wanted: ["account", "device", "last"], silent.map(\.values),
            """
            SELECT taken.account, taken.device, taken.number FROM wanted CROSS JOIN taken
            WHERE taken.account = wanted.account AND taken.device = wanted.device AND taken.number < wanted.last
                AND taken.result = ? LIMIT ?
            """, [.text(MutationOutcome.Result.applied.rawValue), .integer(step)])
        if old.count < step {
            // A device that is back in the meantime is not silent. A push locks the device before its outcomes, too.
            try transaction.execute(
                wanted: ["account", "id"], silent.map { Array($0.values.prefix(2)) },
                """
                UPDATE device SET taken_at = NULL, taken_day = NULL
                WHERE (account, id) IN (SELECT account, id FROM wanted) AND taken_at < ?
                """, [.time(bound)])
        }
        try transaction.delete(from: "taken", ["account", "device", "number"], old.map(\.values))
        return Swept(rows: old.count, isDone: silent.isEmpty)
    }

    /// Pictures that no profile names.
    static let pictures: Job = { transaction, now, step in
        // Each picture has up to a megabyte.
        Swept(rows: try Pictures.purge(now, min(step, 100), in: transaction))
    }

    /// The used daily quotas of past days.
    static let quotas: Job = { transaction, now, step in
        Swept(
            rows: try transaction.deleteOld(
                from: "usage", ["account", "kind", "day"], where: "day",
                isBefore: .integer((now - .days(1)).day), limit: step))
    }

    /// The visitors of past days, and the key of their hashes.
    static let visits: Job = { transaction, now, step in
        let today = now.day
        try VisitKey.forget(before: today, in: transaction)
        return Swept(
            rows: try transaction.deleteOld(
                from: "visit", ["hash", "day"], where: "day", isBefore: .integer(today), limit: step))
    }

    /// Messages that were sent or have failed.
    static let messages: Job = { transaction, now, step in
        Swept(rows: try MessageQueue.purge(now, step, in: transaction))
    }
}

extension HousekeepingTasks.Swept {
    /// The result of one transaction. The job ends if it found no rows.
    init(rows: Int, moved: Set<FeedID> = []) { self.init(rows: rows, moved: moved, isDone: rows == 0) }
}
