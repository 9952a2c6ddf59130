import Foundation
package import GRDB
package import KithModel

/// The table of one collection. It has a column for each field of the schema, and one for the fields of newer versions.
package struct RecordTable: Sendable {
    let schema: Schema
    let name: String
    /// Whether rows have a column for their list. The rows of lists and of the account's own feed do not need it.
    private let hasListColumn: Bool
    /// The columns of the primary key.
    private let identity: [String]
    private let queries: Queries

    /// The texts of the statements. They are built once, and shared by all copies of the table.
    private final class Queries: Sendable {
        /// Reads columns in the order that ``RecordTable/record(_:)`` decodes.
        let select: String
        let selectOne: String
        let delete: String
        let upsert: String
        /// The same for ``many`` rows.
        let upsertMany: String

        static let many = 32

        init(_ table: String, identity: [String], fields: [String]) {
            let values = ["sequence", "modified", "removed", "extra"] + fields
            select =
                "SELECT \(values.joined(separator: ", ")), \(identity.joined(separator: ", ")) FROM \(table) WHERE "
            let isKey = identity.map { "\($0) = ?" }.joined(separator: " AND ")
            selectOne = select + isKey
            delete = "DELETE FROM \(table) WHERE \(isKey)"
            let row = "(\(Array(repeating: "?", count: identity.count + values.count).joined(separator: ", ")))"
            func upsert(rows: Int) -> String {
                """
                INSERT INTO \(table) (\((identity + values).joined(separator: ", ")))
                VALUES \(Array(repeating: row, count: rows).joined(separator: ", "))
                ON CONFLICT (\(identity.joined(separator: ", "))) DO UPDATE
                SET \(values.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """
            }
            self.upsert = upsert(rows: 1)
            upsertMany = upsert(rows: Self.many)
        }
    }

    package init(_ schema: Schema) {
        self.schema = schema
        self.name = schema.collection.rawValue
        hasListColumn = schema.home == .list && !schema.createsFeed
        identity = hasListColumn ? ["account", "id", "list"] : ["account", "id"]
        queries = Queries(name, identity: identity, fields: schema.fields.map(\.name))
    }

    /// The columns that every table of records has.
    static let commonColumns: Set<String> = ["account", "id", "sequence", "modified", "removed", "extra"]

    /// Whether this version knows these columns of the table. `touched` is no field: only some tables have it.
    func knows(_ columns: Set<String>) -> Bool {
        columns.allSatisfy { schema.knows($0) || Self.commonColumns.contains($0) || $0 == "list" || $0 == "touched" }
    }

    /// Whether a table with these columns has one for each field, so that ``createIfMissing(_:)`` need not run.
    func isComplete(with columns: Set<String>) -> Bool { schema.fields.allSatisfy { columns.contains($0.name) } }

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
                    \(ParkedRecords.readAgain)
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
            try DirectStatement("UPDATE \(name) SET \(field.name) = ?, extra = ? WHERE rowid = ?", db).run {
                parameters in
                parameters.append(value, as: field.kind)
                parameters.append(extra.isEmpty ? nil : StoredJSON.text(extra))
                parameters.append(row["rowid"] as Int64)
            }
        }
    }

    private func type(of field: Field) -> String {
        switch field.kind {
        case .text, .choice, .indexKey, .digest, .entries: "TEXT"
        case .flag, .sum, .time: "INTEGER"
        case .identifier: "BLOB"
        }
    }

    // MARK: Reading

    package func record(at key: RecordKey, in store: Store) throws -> StoredRecord? {
        let statement = try DirectStatement(queries.selectOne, store.db)
        guard hasListColumn else { return try statement.first(store.key, key.id, read: record) }
        return try statement.first(store.key, key.id, key.feed.id, read: record)
    }

    /// The records of a feed in a range of ids, ordered by id.
    func records(
        of feed: ReplicaFeed, after: RecordID<Never>? = nil, through: RecordID<Never>? = nil, in store: Store
    ) throws -> [(RecordKey, StoredRecord)] {
        var sql = queries.select + "account = ?1"
        if schema.home == .list {
            // The plus keeps SQLite from reading the whole list if a range of ids is requested.
            let plus = after != nil || through != nil ? "+" : ""
            sql += hasListColumn ? " AND \(plus)list = ?2" : " AND id = ?2"
        }
        if after != nil { sql += " AND id > ?3" }
        if through != nil { sql += " AND id <= ?4" }
        let statement = try DirectStatement(sql + " ORDER BY id", store.db)
        return try statement.allNumbered(store.key, feed.id, after, through) { columns in
            (
                RecordKey(schema.collection, in: schema.home == .list ? feed : .own, try columns.id(idColumn)),
                try record(columns)
            )
        }
    }

    /// All records of a store, ordered by id.
    func all(in store: Store) throws -> [(RecordKey, StoredRecord)] {
        try DirectStatement(queries.select + "account = ? ORDER BY id", store.db).all(store.key) { columns in
            let id: RecordID<Never> = try columns.id(idColumn)
            let list: FeedID = hasListColumn ? try columns.id(idColumn + 1) : id.retyped()
            let feed: ReplicaFeed = schema.home == .list ? .ofList(list) : .own
            return (RecordKey(schema.collection, in: feed, id), try record(columns))
        }
    }

    /// The number of a store's records, without removed ones.
    func count(in store: Store) throws -> Int {
        let sql = "SELECT count(*) FROM \(name) WHERE account = ? AND NOT removed"
        return try Int.fetchOne(store.db.cachedStatement(sql: sql), arguments: [store.key]) ?? 0
    }

    /// The place of `id` in ``Queries/select``; the list follows.
    private var idColumn: CInt { CInt(4 + schema.fields.count + 1) }

    private func record(_ columns: DirectStatement.Columns) throws -> StoredRecord {
        var fields = Fields(minimumCapacity: schema.fields.count)
        for (index, field) in schema.fields.enumerated() {
            if let value = try value(columns, CInt(4 + index), field) { fields[field.name] = value }
        }
        if let extra = columns.textIfAny(3) { fields.merge(try StoredJSON.fields(extra)) { known, _ in known } }
        return StoredRecord(
            fields: fields, sequence: columns.integer(0), modified: Timestamp(milliseconds: columns.integer(1)),
            isRemoved: columns.flag(2))
    }

    private func value(_ columns: DirectStatement.Columns, _ index: CInt, _ field: Field) throws -> FieldValue? {
        switch (columns.storage(index), field.kind) {
        case (.integer, .flag): .flag(columns.flag(index))
        case (.integer, _): .integer(columns.integer(index))
        case (.text, .entries): try StoredJSON.value(columns.text(index))
        case (.text, _): .text(columns.text(index))
        case (.bytes, .identifier): (columns.idIfAny(index) as RecordID<Never>?).map { .text($0.description) }
        default: nil
        }
    }

    // MARK: Writing

    package func save(_ record: StoredRecord, at key: RecordKey, in store: Store) throws {
        let extra = extra(in: record.fields)
        try DirectStatement(queries.upsert, store.db).run { parameters in
            append(store.key, key.id, key.feed.id, to: &parameters)
            parameters.append(record.sequence)
            parameters.append(record.modified.milliseconds)
            parameters.append(record.isRemoved)
            parameters.append(extra)
            for field in schema.fields { parameters.append(record.fields[field.name] ?? .null, as: field.kind) }
        }
    }

    func delete(_ key: RecordKey, in store: Store) throws {
        let statement = try DirectStatement(queries.delete, store.db)
        guard hasListColumn else { return try statement.run(store.key, key.id) }
        try statement.run(store.key, key.id, key.feed.id)
    }

    /// Writes rows of a page of a feed.
    func save(_ page: RecordPage.Columns, at indexes: [Int], of feed: ReplicaFeed, in store: Store) throws {
        let whole = indexes.count - indexes.count % Queries.many
        let parts = [(indexes[..<whole], queries.upsertMany, Queries.many), (indexes[whole...], queries.upsert, 1)]
        for (part, sql, rows) in parts where !part.isEmpty {
            let statement = try BulkStatement(sql, rows: rows, store.db)
            try save(page, at: part, with: statement, store.key, list: feed.id)
        }
    }

    private func save(
        _ page: RecordPage.Columns, at indexes: ArraySlice<Int>, with statement: BulkStatement, _ store: StoreKey,
        list: FeedID?
    ) throws {
        // The columns are those of ``Queries/upsert``.
        let sequence = identity.count
        let fields = schema.fields.enumerated().compactMap { place, field in
            page.fields[field.name].map { (column: sequence + 4 + place, kind: field.kind, values: $0) }
        }
        let unknown = page.fields.filter { schema[$0.key] == nil }
        try statement.run(forEach: indexes) { rows in
            if rows.areFirst {
                rows.bind(0) { _ in store }
                if hasListColumn { rows.bind(2) { _ in list } }
                rows.bind(sequence + 2) { _ in false }
            }
            rows.bind(1) { page.id(at: $0) }
            rows.bind(sequence) { page.sequences[$0] }
            rows.bind(sequence + 1) { page.modified[$0].milliseconds }
            if !unknown.isEmpty {
                rows.bind(sequence + 3) { index in extra(in: unknown.mapValues { $0[index] }) }
            }
            for field in fields { field.values.bind(field.column, of: rows, as: field.kind) }
        }
    }

    private func append(
        _ store: StoreKey, _ id: RecordID<Never>, _ list: FeedID?, to parameters: inout DirectStatement.Parameters
    ) {
        parameters.append(store)
        parameters.append(id)
        if hasListColumn { parameters.append(list) }
    }

    /// The fields that have no column in this version, as JSON.
    private func extra(in fields: Fields) -> String? {
        let unknown = fields.filter { schema[$0.key] == nil && $0.value != .null }
        return unknown.isEmpty ? nil : StoredJSON.text(unknown)
    }
}

extension DirectStatement.Parameters {
    /// Binds a value as the column of a field stores it.
    fileprivate mutating func append(_ value: FieldValue, as kind: Field.Kind) {
        switch (value, kind) {
        case (.text(let text), .identifier): append(RecordID<Never>(text))
        case (.text(let text), _): append(text)
        case (.integer(let integer), _): append(integer)
        case (.flag(let flag), _): append(flag)
        case (.array, .entries): append(CanonicalForm.text(value))
        default: appendNull()
        }
    }
}

extension RecordPage.Column {
    /// Binds a column of `rows` to these values, without boxing them if they have one type.
    fileprivate func bind(_ column: Int, of rows: BulkStatement.Rows, as kind: Field.Kind) {
        switch (self, kind) {
        case (.texts(let texts), .identifier):
            var parameters = rows.parameters(of: column)
            texts.forEachUTF8(at: rows.indexes) { utf8 in
                parameters.append(utf8.flatMap { UUID(utf8: $0) }.map { RecordID<Never>($0) })
            }
        case (_, .identifier): rows.bind(column) { self[$0].text.flatMap { RecordID<Never>($0) } }
        case (.texts(let texts), _): rows.bind(column, texts)
        case (.integers(let integers), _): rows.bind(column) { integers[$0] }
        case (.flags(let flags), _): rows.bind(column) { flags[$0] }
        case (.values, _), (.json, _):
            var parameters = rows.parameters(of: column)
            for index in rows.indexes { parameters.append(self[index], as: kind) }
        }
    }
}
