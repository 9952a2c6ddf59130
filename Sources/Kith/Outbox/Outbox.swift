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
///
/// Edits take effect in the order in which they were made. So an edit folds only into the newest mutation: if another
/// record was edited in between, the server might decide differently about that edit. In a collection in which the order
/// of different records does not matter (``FoldingRules/isOrderFree``), an edit also folds over up to ``foldingReach``
/// later edits of the collection. So going back and forth between the items of a list does not make the outbox longer
/// each time.
struct Outbox {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    /// The number of later mutations that an edit folds over at most. It limits the work of an edit.
    static let foldingReach = 500

    /// Adds an edit. Folds it into the last mutation of the same record if the result is the same.
    ///
    /// `rules` are those of the record's collection. `text` is the change as it is stored, if the caller has it.
    /// `hasNewID` says that the record's id was just made, so that it has no mutation yet.
    ///
    /// - Returns: The place of the group's next edit.
    @discardableResult
    func append(
        _ change: Mutation.Change, to key: RecordKey, seen: Int64, at now: Timestamp, _ place: GroupPlace,
        id: MutationID, rules: FoldingRules = FoldingRules(), text: String? = nil, hasNewID: Bool = false
    ) throws -> GroupPlace {
        if !hasNewID, let last = try lastUnsent(of: key), last.canFold(change, seen: seen, place),
            rules.allow(last.change, with: change), try canReach(last, rules)
        {
            let folded = last.folded(with: change, at: now)
            try DirectStatement("UPDATE mutation SET change = ?, edited = ?, edits = ? WHERE ordinal = ?", db).run(
                StoredJSON.text(folded.change), folded.edited.milliseconds, folded.editsText, folded.ordinal)
            return place
        }
        try DirectStatement(
            """
            INSERT INTO mutation (account, id, grouping, feed, collection, record, seen, change, edited, made)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
            """, db
        ).run(
            account, id, place.label, key.feed.id, key.collection.rawValue, key.id, seen,
            text ?? StoredJSON.text(change), now.milliseconds)
        let ordinal = db.lastInsertedRowID
        if place == .first {
            try DirectStatement("UPDATE mutation SET grouping = ordinal WHERE ordinal = ?", db).run(ordinal)
        }
        return place.next(after: ordinal)
    }

    /// Whether an edit that is folded into `last` passes no mutation that may depend on the order.
    private func canReach(_ last: StoredMutation, _ rules: FoldingRules) throws -> Bool {
        let reach = rules.isOrderFree ? Self.foldingReach : 0
        let canReach = try DirectStatement(
            """
            SELECT count(*) <= ?4 AND coalesce(min(collection = ?3), TRUE) FROM (
                SELECT collection FROM mutation WHERE account = ?1 AND taken IS NULL AND ordinal > ?2
                ORDER BY ordinal LIMIT ?4 + 1
            )
            """, db
        ).first(account, last.ordinal, last.key.collection.rawValue, reach) { $0.flag(0) }
        return canReach ?? false
    }

    /// The last mutation of one record that the server has not acknowledged; nil if there is none. Reads one row.
    private func lastUnsent(of key: RecordKey) throws -> StoredMutation? {
        try mutations(
            "record = ?2 AND collection = ?3 AND feed IS ?4 AND taken IS NULL ORDER BY ordinal DESC LIMIT 1"
        ).first(account, key.id, key.collection.rawValue, key.feed.id, read: StoredMutation.init)
    }

    /// The mutations of one record that the server has not acknowledged, oldest first.
    func unsent(of key: RecordKey) throws -> [StoredMutation] {
        try mutations("record = ?2 AND collection = ?3 AND feed IS ?4 AND taken IS NULL ORDER BY ordinal")
            .all(account, key.id, key.collection.rawValue, key.feed.id, read: StoredMutation.init)
    }

    /// All mutations that the server has not acknowledged, oldest first.
    func unsent() throws -> [StoredMutation] {
        try mutations("taken IS NULL ORDER BY ordinal").all(account, read: StoredMutation.init)
    }

    /// The mutations of records in a list's feed that the server has not acknowledged, oldest first. Others are not
    /// decoded.
    func unsent(in feed: FeedID) throws -> [StoredMutation] {
        try mutations("feed = ?2 AND taken IS NULL ORDER BY ordinal").all(account, feed, read: StoredMutation.init)
    }

    /// The mutations in flight up to this number, oldest first. Mutations that were never sent are not read.
    func inFlight(upTo number: Int64) throws -> [StoredMutation] {
        try mutations("taken IS NULL AND number <= ?2 ORDER BY number")
            .all(account, number, read: StoredMutation.init)
    }

    private func mutations(_ condition: String) throws -> DirectStatement {
        try DirectStatement("SELECT \(StoredMutation.columns) FROM mutation WHERE account = ?1 AND \(condition)", db)
    }

    /// The keys of the mutations in flight up to this number, with their numbers, oldest first.
    func keysInFlight(upTo number: Int64) throws -> [(number: Int64, key: RecordKey)] {
        try DirectStatement(
            """
            SELECT number, collection, feed, record FROM mutation
            WHERE account = ? AND taken IS NULL AND number <= ? ORDER BY number
            """, db
        ).all(account, number) { columns in
            let (collection, feed) = (RecordCollection(rawValue: columns.text(1)), ReplicaFeed(id: columns.idIfAny(2)))
            return (columns.integer(0), RecordKey(collection, in: feed, try columns.id(3)))
        }
    }

    /// The ids of the records in a range of ids that have unsent edits. `after` and `through` are as in
    /// ``RecordTable/records(of:after:through:in:)``.
    func editedRecords(after: RecordID<Never>?, through: RecordID<Never>?) throws -> Set<RecordID<Never>> {
        let conditions = "\(after == nil ? "" : " AND record > ?2")\(through == nil ? "" : " AND record <= ?3")"
        let ids = try DirectStatement(
            "SELECT record FROM mutation WHERE account = ?1 AND taken IS NULL\(conditions)", db
        ).allNumbered(account, after, through) { try $0.id(0) as RecordID<Never> }
        return Set(ids)
    }

    /// Whether the server has acknowledged everything.
    func isEmpty() throws -> Bool {
        try !DirectStatement("SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL LIMIT 1", db).hasRow(account)
    }

    /// Deletes mutations from the outbox.
    func withdraw(_ mutations: [StoredMutation]) throws {
        try DirectStatement("DELETE FROM mutation WHERE ordinal = ?", db).run(forEach: mutations) {
            mutation, parameters in
            parameters.append(mutation.ordinal)
        }
    }

    /// The mutations for one request, in whole groups: first those in flight, then those that wait. At least one group,
    /// unless the limit is 0.
    func batch(of limit: Int) throws -> [StoredMutation] {
        guard let last = try outline(of: limit).last else { return [] }
        return try mutations("taken IS NULL AND ordinal <= ?2 ORDER BY ordinal")
            .all(account, last.ordinal, read: StoredMutation.init)
    }

    /// A mutation without its content.
    private struct Outline {
        let ordinal: Int64
        let group: Int64?
        let hasNumber: Bool
        let wireSize: Int
    }

    /// The outlines of the mutations for one request.
    private func outline(of limit: Int) throws -> [Outline] {
        guard limit > 0 else { return [] }
        let outlines = try DirectStatement(
            """
            SELECT ordinal, grouping, number, change FROM mutation WHERE account = ? AND taken IS NULL
            ORDER BY ordinal LIMIT ?
            """, db
        ).all(account, limit + Limits.group) { columns in
            Outline(
                ordinal: columns.integer(0), group: columns.integerIfAny(1), hasNumber: columns.integerIfAny(2) != nil,
                wireSize: columns.withBytes(3) { StoredMutation.wireSize(ofBytes: $0.count) })
        }
        var batch: [Outline] = []
        var bytes = 0
        for group in outlines.grouped(by: \.group) {
            bytes += group.reduce(0) { $0 + $1.wireSize }
            if !batch.isEmpty && (batch.count + group.count > limit || bytes > Self.bytes) { break }
            batch += group
        }
        return batch
    }

    /// Gives numbers to the mutations of the next batch. From then on they are in flight.
    func number(_ limit: Int, sent: inout Int64) throws {
        let new = try outline(of: limit).filter { !$0.hasNumber }
        var number = sent
        try DirectStatement("UPDATE mutation SET number = ? WHERE ordinal = ?", db).run(forEach: new) {
            outline, parameters in
            number += 1
            parameters.append(number)
            parameters.append(outline.ordinal)
        }
        sent = number
    }

    /// Takes back the numbers after `number`, of mutations that the server cannot have taken.
    func unnumber(after number: Int64) throws {
        try db.execute(
            sql: "UPDATE mutation SET number = NULL WHERE account = ? AND taken IS NULL AND number > ?",
            arguments: [account, number])
    }

    /// Whether there are mutations that were never sent.
    func hasUnnumbered() throws -> Bool {
        try DirectStatement(
            "SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL AND number IS NULL LIMIT 1", db
        ).hasRow(account)
    }

    /// Whether there are mutations in flight.
    func hasNumbered() throws -> Bool {
        try DirectStatement(
            "SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL AND number IS NOT NULL LIMIT 1", db
        ).hasRow(account)
    }

    /// The maximum number of bytes of mutations in one request. It is well below ``Limits/body``.
    static let bytes = Limits.body / 2

    /// Moves acknowledged mutations to the log. `now` is the server's time.
    func log(upTo number: Int64, at now: Timestamp) throws {
        try DirectStatement("UPDATE mutation SET taken = ? WHERE account = ? AND taken IS NULL AND number <= ?", db)
            .run(now.milliseconds, account, number)
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
        try emptyRejected(after: kept, through: last)
        return true
    }

    /// Replaces each rejected mutation by an edit that changes nothing. The server needs its number, but must not apply
    /// it.
    func emptyRejected(after number: Int64, through last: Int64) throws {
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
    ///
    /// - Returns: Whether rejected edits were dropped that the server has not answered. No outcome will undo what they have
    ///   shown, so everything must be read again.
    @discardableResult
    func renumber(recallingAfter number: Int64? = nil) throws -> Bool {
        if let number {
            try db.execute(
                sql: "UPDATE mutation SET taken = NULL WHERE account = ? AND number > ?", arguments: [account, number])
        }
        let dropsEdits = try db.exists(
            "SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL AND \(Self.isRejected)", [account])
        try db.execute(
            sql: "DELETE FROM mutation WHERE account = ? AND (taken IS NOT NULL OR \(Self.isRejected))",
            arguments: [account])
        try db.execute(sql: "UPDATE mutation SET number = NULL WHERE account = ?", arguments: [account])
        return dropsEdits
    }

    /// Deletes log entries that are older than ``Limits/log``. `now` is the server's time or the device's: the earlier one.
    ///
    /// A dismissed rejection has the device's time. So it also stays as long as its mutation is in the log.
    func purge(at now: Timestamp) throws {
        let horizon = (now - Limits.log).milliseconds
        try DirectStatement("DELETE FROM mutation WHERE account = ? AND taken < ?", db).run(account, horizon)
        try DirectStatement(
            """
            DELETE FROM rejection WHERE account = ?1 AND isDismissed AND date < ?2
                AND id NOT IN (SELECT id FROM mutation WHERE account = ?1)
            """, db
        ).run(account, horizon)
    }

    /// The number of unsent edits, and the time of the oldest.
    func waiting() throws -> (count: Int, oldest: Timestamp?) {
        let count = try DirectStatement("SELECT count(*) FROM mutation WHERE account = ? AND taken IS NULL", db)
            .first(account) { Int($0.integer(0)) }
        return (count ?? 0, try oldest())
    }

    /// The time of the oldest unsent edit; nil if there is none. Reads one row.
    func oldest() throws -> Timestamp? {
        try DirectStatement(
            "SELECT made FROM mutation WHERE account = ? AND taken IS NULL ORDER BY ordinal LIMIT 1", db
        )
        .first(account) { Timestamp(milliseconds: $0.integer(0)) }
    }
}

extension Array {
    /// The elements in their groups, in order. An element without a group forms a group alone.
    fileprivate func grouped(by group: (Element) -> Int64?) -> [[Element]] {
        var groups: [[Element]] = []
        for element in self {
            if let label = group(element), let last = groups.last?.first, group(last) == label {
                groups[groups.count - 1].append(element)
            } else {
                groups.append([element])
            }
        }
        return groups
    }
}

extension Store {
    /// The edits of the store that wait for the server.
    var outbox: Outbox { Outbox(self) }
}

extension Outbox {
    /// The records of which the server may have received an edit: those with a mutation in flight or in the log.
    func sentKeys() throws -> Set<RecordKey> {
        let rows = try Row.fetchAll(
            db, sql: "SELECT DISTINCT collection, feed, record FROM mutation WHERE account = ? AND number IS NOT NULL",
            arguments: [account])
        return Set(rows.map { RecordKey(RecordCollection(rawValue: $0[0]), in: ReplicaFeed(id: $0[1]), $0[2]) })
    }
}
