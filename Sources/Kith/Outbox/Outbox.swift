import Foundation
import GRDB
import KithModel

/// Local edits that wait for the server, oldest first.
///
/// A mutation is written in the same transaction as its edit, so neither ever exists without the other.
///
///     waiting ──first sent: a number──▶ in flight ──acknowledged──▶ log, for seven days
///        ▲ folds with later edits           │ never touched            │ server restored
///        └───────── this is a copy ─────────┴◀─────────────────────────┘
struct Outbox {
    let db: Database
    let account: Int64

    /// Adds an edit. Folds it into the last mutation of the same record if the result is the same.
    ///
    /// `inGroup` says whether the edit belongs to a group. `group` is the group's label; nil for its first mutation.
    ///
    /// - Returns: The label for the group's next mutation: the ordinal of the group's first one.
    @discardableResult
    func append(
        _ change: Mutation.Change, to key: RecordKey, seen: Int64, at now: Timestamp, group: Int64?, inGroup: Bool,
        id: MutationID
    ) throws -> Int64 {
        if let last = try last(of: key), last.canTake(change, seen: seen, group: group, inGroup: inGroup) {
            let folded = last.folded(with: change, at: now)
            try db.cachedStatement(sql: "UPDATE mutation SET change = ?, edited = ?, edits = ? WHERE ordinal = ?")
                .execute(
                    arguments: [
                        StoredJSON.text(folded.change), folded.edited.milliseconds, folded.editsText, folded.ordinal,
                    ])
            return group ?? last.ordinal
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO mutation (account, id, grouping, feed, collection, record, seen, change, edited, made)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
                """
        ).execute(
            arguments: [
                account, id, group, key.feed, key.collection.rawValue, key.id, seen, StoredJSON.text(change),
                now.milliseconds,
            ])
        let ordinal = db.lastInsertedRowID
        if inGroup && group == nil {
            try db.execute(sql: "UPDATE mutation SET grouping = ordinal WHERE ordinal = ?", arguments: [ordinal])
        }
        return group ?? ordinal
    }

    /// The mutations of one record that the server has not acknowledged, oldest first.
    func unsent(of key: RecordKey) throws -> [StoredMutation] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT * FROM mutation WHERE account = ? AND record = ? AND collection = ? AND feed IS ?
                        AND taken IS NULL ORDER BY ordinal
                    """), arguments: [account, key.id, key.collection.rawValue, key.feed]
        ).map(StoredMutation.init)
    }

    /// All mutations that the server has not acknowledged, oldest first.
    func unsent(limit: Int = -1) throws -> [StoredMutation] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT * FROM mutation WHERE account = ? AND taken IS NULL ORDER BY ordinal LIMIT ?"),
            arguments: [account, limit]
        ).map(StoredMutation.init)
    }

    /// The mutations in flight up to this number, oldest first. Mutations that were never sent are not read.
    func inFlight(upTo number: Int64) throws -> [StoredMutation] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT * FROM mutation WHERE account = ? AND taken IS NULL AND number <= ? ORDER BY number"),
            arguments: [account, number]
        ).map(StoredMutation.init)
    }

    /// Whether the server has acknowledged everything.
    func isEmpty() throws -> Bool {
        try !db.exists("SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL", [account])
    }

    private func last(of key: RecordKey) throws -> StoredMutation? { try unsent(of: key).last }

    /// Deletes mutations from the outbox.
    func withdraw(_ mutations: [StoredMutation]) throws {
        for mutation in mutations {
            try db.execute(sql: "DELETE FROM mutation WHERE ordinal = ?", arguments: [mutation.ordinal])
        }
    }

    /// The mutations for one request, in whole groups: first those in flight, then those that wait.
    func batch(of limit: Int) throws -> [StoredMutation] {
        var batch: [StoredMutation] = []
        var bytes = 0
        for group in try unsent(limit: limit + Limits.group).grouped() {
            bytes += group.reduce(0) { $0 + $1.wireSize }
            if !batch.isEmpty && (batch.count + group.count > limit || bytes > Self.bytes) { break }
            batch += group
        }
        return batch
    }

    /// Gives numbers to the mutations of the next batch. From then on they are in flight.
    func number(_ limit: Int, sent: inout Int64) throws {
        for mutation in try batch(of: limit) where mutation.number == nil {
            sent += 1
            try db.cachedStatement(sql: "UPDATE mutation SET number = ? WHERE ordinal = ?")
                .execute(arguments: [sent, mutation.ordinal])
        }
    }

    /// Takes back the numbers after `number`, of mutations that the server cannot have taken.
    func unnumber(after number: Int64) throws {
        try db.execute(
            sql: "UPDATE mutation SET number = NULL WHERE account = ? AND taken IS NULL AND number > ?",
            arguments: [account, number])
    }

    /// Whether there are mutations that were never sent.
    func hasUnnumbered() throws -> Bool {
        try db.exists("SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL AND number IS NULL", [account])
    }

    /// The maximum number of bytes of mutations in one request. It is well below ``Limits/body``.
    static let bytes = Limits.body / 2

    /// Moves acknowledged mutations to the log.
    func log(upTo number: Int64, at now: Timestamp) throws {
        try db.cachedStatement(
            sql: "UPDATE mutation SET taken = ? WHERE account = ? AND taken IS NULL AND number <= ?"
        ).execute(arguments: [now.milliseconds, account, number])
    }

    /// The lowest number in the log; nil if it is empty.
    func firstLogged() throws -> Int64? {
        try Int64.fetchOne(
            db, sql: "SELECT min(number) FROM mutation WHERE account = ? AND taken IS NOT NULL", arguments: [account])
    }

    /// Moves the log back into the outbox under its old numbers, for a server that was restored.
    ///
    /// A rejected edit must not take effect later. If the server has forgotten it (its number is higher than `kept`),
    /// its number is sent with an edit that changes nothing.
    ///
    /// - Returns: false, without any change, if the log is incomplete.
    func recall(from first: Int64, through last: Int64, forgottenAfter kept: Int64) throws -> Bool {
        let logged = try Int64.fetchOne(
            db, sql: "SELECT count(*) FROM mutation WHERE account = ? AND taken IS NOT NULL AND number BETWEEN ? AND ?",
            arguments: [account, first, last])
        guard logged == last - first + 1 else { return false }
        try db.execute(
            sql: "UPDATE mutation SET taken = NULL WHERE account = ? AND number >= ?", arguments: [account, first])
        try void(after: kept, through: last)
        return true
    }

    /// Replaces each rejected mutation by an edit that changes nothing. The server needs its number, but must not apply
    /// it.
    func void(after number: Int64, through last: Int64) throws {
        try db.execute(
            sql: """
                UPDATE mutation SET change = ?, edits = NULL
                WHERE account = ? AND taken IS NULL AND number > ? AND number <= ? AND \(Self.isRejected)
                """, arguments: [StoredJSON.text(.set([:])), account, number, last])
    }

    private static let isRejected =
        "EXISTS (SELECT 1 FROM rejection WHERE rejection.account = mutation.account AND rejection.id = mutation.id)"

    /// Removes all numbers, for a device that takes a new device identity.
    ///
    /// Logged mutations after `number` return to the outbox, except rejected ones.
    func renumber(recallingAfter number: Int64? = nil) throws {
        if let number {
            try db.execute(
                sql: "UPDATE mutation SET taken = NULL WHERE account = ? AND number > ?", arguments: [account, number])
        }
        try db.execute(
            sql: "DELETE FROM mutation WHERE account = ? AND (taken IS NOT NULL OR \(Self.isRejected))",
            arguments: [account])
        try db.execute(sql: "UPDATE mutation SET number = NULL WHERE account = ?", arguments: [account])
    }

    /// Deletes log entries that are older than ``Limits/log``.
    func purge(at now: Timestamp) throws {
        let horizon = (now - Limits.log).milliseconds
        try db.cachedStatement(sql: "DELETE FROM mutation WHERE account = ? AND taken < ?")
            .execute(arguments: [account, horizon])
        try db.cachedStatement(sql: "DELETE FROM rejection WHERE account = ? AND isDismissed AND date < ?")
            .execute(arguments: [account, horizon])
    }

    /// The number of unsent edits, and the time of the oldest.
    func waiting() throws -> (count: Int, oldest: Timestamp?) {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*), min(made) FROM mutation WHERE account = ? AND taken IS NULL"),
            arguments: [account])
        return (row?[0] ?? 0, (row?[1] as Int64?).map(Timestamp.init(milliseconds:)))
    }
}

extension [StoredMutation] {
    /// The mutations in their groups, in order. A mutation without a group forms a group alone.
    fileprivate func grouped() -> [[StoredMutation]] {
        var groups: [[StoredMutation]] = []
        for mutation in self {
            if let label = mutation.group, groups.last?.first?.group == label {
                groups[groups.count - 1].append(mutation)
            } else {
                groups.append([mutation])
            }
        }
        return groups
    }
}

extension Outbox {
    /// The records of which the server may have received an edit: those with a mutation in flight or in the log.
    func sentKeys() throws -> Set<RecordKey> {
        let rows = try Row.fetchAll(
            db, sql: "SELECT DISTINCT collection, feed, record FROM mutation WHERE account = ? AND number IS NOT NULL",
            arguments: [account])
        return Set(rows.map { RecordKey(RecordCollection(rawValue: $0[0]), in: $0[1], $0[2]) })
    }

    /// Whether a mutation of this record was ever sent, according to the log.
    func wasSent(_ key: RecordKey) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM mutation WHERE account = ? AND record = ? AND feed IS ? AND number IS NOT NULL",
            [account, key.id, key.feed])
    }
}
