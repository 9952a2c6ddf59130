import Foundation
package import GRDB
package import KithModel

/// The table of one collection. It has a column for each field of the schema, and one for the fields of newer versions.
package struct RecordTable {
    let schema: Schema
    let name: String

    package init(_ schema: Schema) {
        self.schema = schema
        self.name = schema.collection.rawValue
    }

    /// Whether rows have a column for their list. The rows of lists and of the account's own feed do not need it.
    private var hasListColumn: Bool { schema.home == .list && !schema.createsFeed }

    private var identity: [String] { hasListColumn ? ["account", "id", "list"] : ["account", "id"] }

    private var columns: [String] {
        identity + ["sequence", "modified", "removed", "extra"] + schema.fields.map(\.name)
    }

    /// The query of the feeds that have records here. Its first argument is the account.
    var feeds: String { "SELECT \(hasListColumn ? "list" : "id") FROM \(name) WHERE account = ?1" }

    /// Creates the table of a collection for which ``ReplicaSchema`` has no migration, and missing columns for fields.
    /// Values of such fields, which an earlier version stored as JSON, are moved to the new columns.
    package func createIfMissing(_ db: Database) throws {
        guard try db.tableExists(name) else {
            let keys = identity.dropFirst().map { ", \($0) BLOB NOT NULL" }.joined()
            let fields = schema.fields.map { ", \($0.name) \(type(of: $0))" }.joined()
            try db.execute(
                sql: """
                    CREATE TABLE \(name) (
                        account INTEGER NOT NULL REFERENCES account (key) ON DELETE CASCADE\(keys)\(fields), extra TEXT,
                        sequence INTEGER NOT NULL, modified INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0,
                        PRIMARY KEY (\(identity.joined(separator: ", ")))
                    );
                    \(hasListColumn ? "CREATE INDEX \(name)_list ON \(name) (account, list);" : "")
                    \(Self.readParkedAgain)
                    """, arguments: [name, name])
            return
        }
        let present = Set(try db.columns(in: name).map(\.name))
        for field in schema.fields where !present.contains(field.name) {
            try db.execute(sql: "ALTER TABLE \(name) ADD COLUMN \(field.name) \(type(of: field))")
            try adopt(field, db)
        }
    }

    /// Moves a field's values from ``extra`` to its column.
    private func adopt(_ field: Field, _ db: Database) throws {
        let path = "$.\(field.name)"
        let rows = try Row.fetchAll(
            db, sql: "SELECT rowid, extra FROM \(name) WHERE json_extract(extra, ?) IS NOT NULL", arguments: [path])
        for row in rows {
            var extra = try StoredJSON.fields(row["extra"])
            let value = extra.removeValue(forKey: field.name) ?? .null
            try db.execute(
                sql: "UPDATE \(name) SET \(field.name) = ?, extra = ? WHERE rowid = ?",
                arguments: [
                    databaseValue(value, field), extra.isEmpty ? nil : StoredJSON.text(extra), row["rowid"] as Int64,
                ])
        }
    }

    /// Makes the next round reread the feeds with parked records of the collection, and deletes these parked records.
    private static let readParkedAgain = """
        UPDATE feed SET isDoubtful = 1 WHERE EXISTS (
            SELECT 1 FROM parked
            WHERE parked.account = feed.account AND parked.feed = feed.id AND parked.collection = ?);
        DELETE FROM parked WHERE collection = ?;
        """

    private func type(of field: Field) -> String {
        switch field.kind {
        case .text, .choice, .indexKey, .digest, .entries: "TEXT"
        case .flag, .sum, .time: "INTEGER"
        case .identifier: "BLOB"
        }
    }

    // MARK: Rows

    package func record(_ db: Database, _ account: Int64, _ key: RecordKey) throws -> StoredRecord? {
        let sql = "SELECT * FROM \(name) WHERE \(identity.map { "\($0) = ?" }.joined(separator: " AND "))"
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: values(account, key)).map(record)
    }

    /// The records of a feed in a range of ids, ordered by id.
    func records(
        _ db: Database, _ account: Int64, feed: FeedID?, after: RecordID<Never>? = nil, through: RecordID<Never>? = nil
    ) throws -> [(RecordKey, StoredRecord)] {
        var sql = "SELECT * FROM \(name) WHERE account = ?"
        var arguments: StatementArguments = [account]
        if schema.home == .list {
            // The plus keeps SQLite from reading the whole list if a range of ids is requested.
            let plus = after != nil || through != nil ? "+" : ""
            sql += hasListColumn ? " AND \(plus)list = ?" : " AND id = ?"
            arguments += [feed]
        }
        if let after {
            sql += " AND id > ?"
            arguments += [after]
        }
        if let through {
            sql += " AND id <= ?"
            arguments += [through]
        }
        return try Row.fetchAll(db.cachedStatement(sql: sql + " ORDER BY id"), arguments: arguments).map {
            (RecordKey(schema.collection, in: schema.home == .list ? feed : nil, $0["id"]), try record($0))
        }
    }

    /// All records of an account, ordered by id.
    func all(_ db: Database, _ account: Int64) throws -> [(RecordKey, StoredRecord)] {
        try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM \(name) WHERE account = ? ORDER BY id"), arguments: [account]
        ).map { row in
            let feed: FeedID? =
                schema.home == .account ? nil : hasListColumn ? row["list"] : row["id"]
            return (RecordKey(schema.collection, in: feed, row["id"]), try record(row))
        }
    }

    package func save(_ record: StoredRecord, _ db: Database, _ account: Int64, _ key: RecordKey) throws {
        try upsert(db).execute(
            arguments: row(
                account, key, sequence: record.sequence, modified: record.modified, isRemoved: record.isRemoved,
                extra: extra(in: record.fields)
            ) { record.fields[$0] ?? .null })
    }

    func delete(_ db: Database, _ account: Int64, _ key: RecordKey) throws {
        let sql = "DELETE FROM \(name) WHERE \(identity.map { "\($0) = ?" }.joined(separator: " AND "))"
        try db.cachedStatement(sql: sql).execute(arguments: values(account, key))
    }

    /// The statement that writes a row; ``row`` creates its arguments.
    func upsert(_ db: Database) throws -> Statement {
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let changes = columns.dropFirst(identity.count).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(marks))
                ON CONFLICT (\(identity.joined(separator: ", "))) DO UPDATE SET \(changes)
                """)
    }

    /// The arguments of ``upsert`` for one row.
    func row(
        _ account: Int64, _ key: RecordKey, sequence: Int64, modified: Timestamp, isRemoved: Bool, extra: String?,
        value: (String) -> FieldValue
    ) -> StatementArguments {
        var arguments = values(account, key)
        arguments += [sequence, modified.milliseconds, isRemoved, extra]
        for field in schema.fields { arguments += [databaseValue(value(field.name), field)] }
        return arguments
    }

    /// The fields that have no column in this version, as JSON.
    func extra(in fields: Fields) -> String? {
        let unknown = fields.filter { schema[$0.key] == nil && $0.value != .null }
        return unknown.isEmpty ? nil : StoredJSON.text(unknown)
    }

    private func values(_ account: Int64, _ key: RecordKey) -> StatementArguments {
        hasListColumn ? [account, key.id, key.feed] : [account, key.id]
    }

    private func databaseValue(_ value: FieldValue, _ field: Field) -> DatabaseValue {
        switch (value, field.kind) {
        case (.text(let text), .identifier): RecordID<Never>(text)?.databaseValue ?? .null
        case (.text(let text), _): text.databaseValue
        case (.integer(let integer), _): integer.databaseValue
        case (.flag(let flag), _): flag.databaseValue
        case (.array, .entries): CanonicalForm.text(value).databaseValue
        default: .null
        }
    }

    private func record(_ row: Row) throws -> StoredRecord {
        var fields: Fields = [:]
        for field in schema.fields {
            let value: DatabaseValue = row[field.name]
            fields[field.name] =
                switch (value.storage, field.kind) {
                case (.int64(let integer), .flag): .flag(integer != 0)
                case (.int64(let integer), _): .integer(integer)
                case (.string(let text), .entries): try StoredJSON.value(text)
                case (.string(let text), _): .text(text)
                case (.blob, .identifier):
                    RecordID<Never>.fromDatabaseValue(value).map { .text($0.description) }
                default: nil
                }
        }
        if let extra: String = row["extra"] {
            fields.merge(try StoredJSON.fields(extra)) { known, _ in known }
        }
        return StoredRecord(
            fields: fields, sequence: row["sequence"], modified: Timestamp(milliseconds: row["modified"]),
            isRemoved: row["removed"])
    }
}
