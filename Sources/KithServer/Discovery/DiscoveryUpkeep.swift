package import KithModel

/// The background work of discovery: preparing a new key, and deleting expired data.
///
/// It works in small transactions and stores its progress in the database, so that it continues after a restart. Two
/// instances at the same time do no harm.
package struct DiscoveryUpkeep: Sendable {
    private let database: any Database
    private let keys: DiscoveryKeys
    /// The maximum number of identities that one transaction evaluates, and of rows that one removes.
    private let step: Int, sweep: Int64

    /// Upkeep of `database`, with the secrets in `keys`.
    package init(database: any Database, keys: DiscoveryKeys, step: Int = 500, sweep: Int64 = 5_000) {
        (self.database, self.keys, self.step, self.sweep) = (database, keys, step, sweep)
    }

    /// The keys that devices may have used, and whose secrets are missing here and at every other node; none while other
    /// nodes run, which may have them.
    package func lostKeys(at now: Timestamp) async throws -> Set<String> {
        try await database.read { [keys] transaction in
            if try RunningNodes.count(in: transaction) > 1 { return [] }
            let rows = try KeyRow.all(in: transaction)
            // Read after the rows, so that a key that another process has just added is not taken for a lost one.
            return Set(Self.lost(rows, try keys.all(), at: now).filter(\.wasCurrent).map(\.id))
        }
    }

    private static func lost(_ rows: [KeyRow], _ secrets: [DiscoveryKey], at now: Timestamp) -> [KeyRow] {
        rows.filter { row in !row.hasEnded(at: now) && !secrets.contains { $0.id == row.id } }
    }

    /// Performs all pending work.
    ///
    /// While the current key is lost and not given up, no other key replaces it. If only keys that end are left, a new key
    /// is made. A lost key that was never current is deleted: no device has used it, for example one that was made while
    /// the right file was away.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - givenUp: The lost keys to delete besides those; nil for all of them.
    ///   - deletes: Whether to delete what has expired. The server's clock may be wrong.
    ///   - progress: Called after each transaction of an evaluation, with the number of identities evaluated so far.
    /// - Throws: ``ServerError`` if the database or the keys are not available, or if a secret is missing here that other
    ///   nodes have; and what `progress` throws. Completed work is kept.
    package func run(
        at now: Timestamp, givingUp givenUp: Set<String>? = nil, deletes: Bool = true,
        _ progress: @Sendable (Int) throws -> Void = { _ in }
    ) async throws {
        let (secrets, rows, hasOthers) = try await database.write { [keys] transaction in
            // Read within the transaction, so that a key that another process has just added is not taken for a lost one.
            let secrets = try keys.all()
            try KeyRow.insertMissing(secrets, at: now, in: transaction)
            return (secrets, try KeyRow.all(in: transaction), try RunningNodes.count(in: transaction) > 1)
        }
        let lost = Self.lost(rows, secrets, at: now)
        let awaited = lost.filter { row in row.wasCurrent && givenUp?.contains(row.id) == false }
        let waitsForCurrent = awaited.contains { $0.ends == nil }
        if !waitsForCurrent, !hasOthers,
            !rows.contains(where: { row in row.ends == nil && secrets.contains { $0.id == row.id } })
        {
            _ = try keys.add()
            return try await run(at: now, givingUp: givenUp, deletes: deletes, progress)
        }
        if !waitsForCurrent {
            for key in secrets where rows.contains(where: { $0.id == key.id && $0.currentSince == nil }) {
                try await makeReady(key, at: now, progress)
            }
        }
        for row in lost where !hasOthers && !awaited.contains(row) { try await forget(row.id) }
        if deletes {
            let ended = rows.filter { $0.hasEnded(at: now) }
            try keys.remove(Set(ended.map(\.id)))
            for row in ended { try await removeEvaluations(under: row.id) }
            try await purge(now)
        }
        if hasOthers, let row = lost.first { throw ServerError.lacksKey(row.id) }
    }

    /// The status of discovery, for the operator.
    package struct Status: Hashable, Sendable {
        /// A key: since when it is the current key, nil while it is being prepared; until when it is served.
        package struct Key: Hashable, Sendable {
            package let id: String
            package let since: Timestamp?, until: Timestamp?
        }

        /// The number of registered phone numbers and emails.
        package var identities: Int
        /// The keys, the current one first.
        package var keys: [Key]
    }

    /// The status of discovery at a time, without the keys that have ended.
    package func status(at now: Timestamp) async throws -> Status {
        try await database.read { transaction in
            let count = try transaction.count("SELECT count(*) FROM identity")
            let keys = try KeyRow.all(in: transaction).filter { !$0.hasEnded(at: now) }.map {
                Status.Key(id: $0.id, since: $0.currentSince, until: $0.ends)
            }
            return Status(identities: count, keys: keys)
        }
    }

    // MARK: A new key

    /// Evaluates every identity under a key, in order, and makes it the current key.
    private func makeReady(_ key: DiscoveryKey, at time: Timestamp, _ progress: (Int) throws -> Void) async throws {
        var count = 0
        while let page = try await page(for: key) {
            // This runs between the two transactions, because it takes longer than both.
            let outputs = Dictionary(
                page.found.compactMap { found in key.output(of: found.identity).map { (found.identity, $0) } }
            ) { first, _ in first }
            try await database.write { transaction in
                // A change of an account either has ended, or sees the evaluations of this transaction.
                try AccountLock.take(Set(page.found.map(\.account)), in: transaction)
                let isOurs = try transaction.changes(
                    "UPDATE discovery_key SET reached = ? WHERE id = ? AND reached = ? RETURNING id",
                    [.text(page.last), .text(key.id), .text(page.reached)])
                guard isOurs else { return }
                // An identity that was removed or moved in the meantime no longer matches. That change has already
                // stored its evaluation.
                let now = try Self.still(page.found, in: transaction)
                try Evaluation.write(
                    now.compactMap { found in
                        outputs[found.identity].map { Evaluation($0, of: found.account, isGone: found.isHidden) }
                    }, under: key.id, at: time, in: transaction)
            }
            count += page.found.count
            try progress(count)
        }
        try await database.write { transaction in
            let isNew = try transaction.changes(
                "UPDATE discovery_key SET current_since = ? WHERE id = ? AND current_since IS NULL RETURNING id",
                [.time(time), .text(key.id)])
            guard isNew else { return }
            try transaction.execute(
                "UPDATE discovery_key SET ends = ? WHERE id <> ? AND current_since IS NOT NULL AND ends IS NULL",
                [.time(time + Limits.keyOverlap), .text(key.id)])
        }
    }

    private struct Found: Hashable, Sendable {
        let identity: Identity
        let account: AccountID
        let isHidden: Bool
    }

    private struct Page: Sendable {
        /// The beginning and the end of the page.
        var reached: String, last: String
        var found: [Found]
    }

    /// The next identities to evaluate for a key; nil at the end.
    private func page(for key: DiscoveryKey) async throws -> Page? {
        try await database.read { [step] transaction in
            guard let row = try KeyRow.all(in: transaction).first(where: { $0.id == key.id }) else { return nil }
            let rows = try transaction.query(
                """
                SELECT identity.value, identity.account, hidden.account
                FROM identity LEFT JOIN hidden ON hidden.account = identity.account
                WHERE identity.value > ? ORDER BY identity.value LIMIT ?
                """, [.text(row.reached), .integer(Int64(step))])
            guard let last = try rows.last?.text(0) else { return nil }
            return Page(reached: row.reached, last: last, found: try Self.found(rows))
        }
    }

    /// The identities that still belong to their accounts, in their current state.
    private static func still(_ found: [Found], in transaction: any Transaction) throws -> [Found] {
        let rows = try transaction.query(
            wanted: ["value"], found.map { [.text($0.identity.text)] },
            """
            SELECT identity.value, identity.account, hidden.account FROM wanted CROSS JOIN identity
            LEFT JOIN hidden ON hidden.account = identity.account WHERE identity.value = wanted.value
            """)
        let accounts = Dictionary(found.map { ($0.identity, $0.account) }) { first, _ in first }
        return try Self.found(rows).filter { accounts[$0.identity] == $0.account }
    }

    private static func found(_ rows: [SQLRow]) throws -> [Found] {
        try rows.compactMap { row in
            guard let identity = Identity(try row.text(0)) else { return nil }
            return Found(identity: identity, account: try row.id(1), isHidden: !row.isNull(2))
        }
    }

    // MARK: Deleting expired data

    private func removeEvaluations(under key: String) async throws {
        let isThere = try await database.read { transaction in
            try transaction.exists("SELECT 1 FROM evaluation WHERE discovery_key = ? LIMIT 1", [.text(key)])
        }
        guard isThere else { return }
        while try await remove("discovery_key = ?", [.text(key)]) {}
    }

    /// Deletes a key without a secret. Its file was lost.
    private func forget(_ key: String) async throws {
        try await removeEvaluations(under: key)
        try await database.write { try $0.execute("DELETE FROM discovery_key WHERE id = ?", [.text(key)]) }
    }

    /// Deletes the rows of identities that were removed long ago.
    private func purge(_ now: Timestamp) async throws {
        while try await remove("gone = 1 AND account IS NULL AND changed < ?", [.time(now - Limits.tombstones)]) {}
    }

    /// Deletes some of the entries that match. The horizons of their keys rise accordingly.
    ///
    /// - Returns: Whether there may be more.
    private func remove(_ condition: String, _ values: [SQLValue]) async throws -> Bool {
        try await database.write { [sweep] transaction in
            let old = try transaction.query(
                "SELECT discovery_key, prefix, tag, sequence FROM evaluation WHERE \(condition) LIMIT ?",
                values + [.integer(sweep)])
            let entries = try Dictionary(grouping: old) { try $0.text(0) }
            for (key, entries) in entries.sorted(by: { $0.key < $1.key }) {
                let horizon = try entries.map { try $0.integer(3) }.max() ?? 0
                try transaction.execute(
                    "UPDATE discovery_key SET horizon = ? WHERE id = ? AND horizon < ?",
                    [.integer(horizon), .text(key), .integer(horizon)])
                // The entry of an identity that was proved again meanwhile has another sequence, and stays. The key is not
                // in the row set, because SQLite would not look up the numbers beside a text: see `delete(from:_:_:)`.
                try transaction.execute(
                    wanted: ["prefix", "tag", "sequence"], entries.map { Array($0.values.dropFirst()) },
                    """
                    DELETE FROM evaluation
                    WHERE discovery_key = ? AND (prefix, tag, sequence) IN (SELECT prefix, tag, sequence FROM wanted)
                    """, [.text(key)])
            }
            return Int64(old.count) == sweep
        }
    }
}
