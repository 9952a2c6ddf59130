package import KithModel

/// Reads everything in a server's SQLite database, and finds what is damaged: pages, values, and rows that do not fit together.
///
/// It reads one snapshot, so the server may run. A fault names tables and ids, and nothing that anybody has written.
package struct DatabaseCheck: Sendable {
    /// Something that is wrong.
    package struct Fault: Hashable, Sendable {
        /// What is wrong.
        package enum Kind: String, Sendable {
            /// SQLite finds the structure of the file damaged, or cannot read a table.
            case structure
            /// A value cannot be read.
            case value
            /// The digest of a feed does not fit its records. Devices read the feed again and again.
            case digest
            /// A row belongs to another one that is missing.
            case reference
        }

        package let kind: Kind
        /// The table; nil if the file is meant.
        package let table: String?
        /// The ids in the key of the row.
        package let ids: [String]
        /// SQLite's own words about the structure.
        package let detail: String?

        init(_ kind: Kind, _ table: String?, ids: [String] = [], detail: String? = nil) {
            (self.kind, self.table, self.ids, self.detail) = (kind, table, ids, detail)
        }
    }

    /// The server whose database it is.
    package let server: ServerID
    /// The number of tables that were read.
    package private(set) var tables = 0
    /// The number of rows that were read.
    package private(set) var rows = 0
    /// The faults, at most ``most``.
    package private(set) var faults: [Fault] = []
    /// The number of all faults.
    package private(set) var count = 0

    private var feeds = FeedCheck()
    /// The ids of the rows to which others refer.
    private var known: [String: Set<SQLValue>] = [:]
    /// The ids to which rows refer, by the table of these rows.
    private var wanted: [Reference: Set<SQLValue>] = [:]

    /// The most faults that are kept.
    package static let most = 1_000

    /// Rows of a table that refer to those of another.
    private struct Reference: Hashable {
        let table: String
        let column: String
        let target: String
    }

    /// References that hold after each transaction. The rows of a deleted account's places in lists go later.
    private static let references = [
        Reference(table: "record", column: "feed", target: "feed"),
        Reference(table: "tombstone", column: "feed", target: "feed"),
        Reference(table: "identity", column: "account", target: "account"),
    ]

    private init(_ server: ServerID) { self.server = server }

    /// The number of feeds whose digests were compared with their records.
    package var comparedFeeds: Int { feeds.count }

    /// Checks the database at `path`.
    ///
    /// - Parameters:
    ///   - path: The server's database.
    ///   - progress: Shows what is done.
    /// - Returns: What was read and found.
    /// - Throws: ``ServerError`` as ``SQLiteBackup`` does if the database cannot be opened.
    package static func run(
        of path: String, progress: CopyProgress = CopyProgress()
    ) async throws -> DatabaseCheck {
        progress.turn(to: "Checking the structure")
        let database = try SQLiteBackup.open(path)
        return try await database.read { transaction in
            var check = DatabaseCheck(database.server)
            check.checkStructure(in: transaction)
            for table in try StoredTable.all(in: transaction) {
                progress.turn(to: "Checking \(table.name)")
                check.read(table, in: transaction)
            }
            check.compare()
            return check
        }
    }

    private mutating func add(_ fault: Fault) {
        count += 1
        if faults.count < Self.most { faults.append(fault) }
    }

    // MARK: Steps

    private mutating func checkStructure(in transaction: any Transaction) {
        do {
            for words in try StructureCheck.faults(in: transaction) { add(Fault(.structure, nil, detail: words)) }
        } catch {
            add(Fault(.structure, nil))
        }
    }

    /// Reads all rows of a table, up to the first that SQLite cannot read.
    private mutating func read(_ table: StoredTable, in transaction: any Transaction) {
        tables += 1
        var scan = TableScan(table)
        do {
            while case let page = try scan.next(in: transaction), !page.isEmpty {
                for row in page { check(row, of: table) }
            }
        } catch {
            add(Fault(.structure, table.name))
        }
    }

    private mutating func check(_ row: SQLRow, of table: StoredTable) {
        rows += 1
        var isReadable = zip(row.values, table.columns).allSatisfy { Self.fits($0, $1) }
        do {
            try feeds.add(row, of: table)
            try note(row, of: table)
            try Self.decode(row, of: table)
        } catch {
            isReadable = false
        }
        if !isReadable { add(Fault(.value, table.name, ids: Self.ids(table.key(of: row), of: table))) }
    }

    /// Finds the feeds with a wrong digest, and the references to nothing.
    private mutating func compare() {
        for feed in feeds.wrong { add(Fault(.digest, "feed", ids: [feed.description])) }
        for reference in Self.references {
            let missing = (wanted[reference] ?? []).subtracting(known[reference.target] ?? [])
            for id in Self.ids(Array(missing)).sorted() { add(Fault(.reference, reference.table, ids: [id])) }
        }
    }

    // MARK: Rows

    /// A value cannot be read.
    private struct Unreadable: Error {}

    /// Whether a value has the type of its column. The structure says whether it may be null.
    private static func fits(_ value: SQLValue, _ column: StoredTable.Column) -> Bool {
        switch (value, column.type) {
        case (.null, _), (.integer, "BIGINT"), (.text, "TEXT"), (.bytes, "BYTES"), (.uuid, "BYTES"): true
        default: false
        }
    }

    /// Reads the values that are more than numbers, texts and bytes.
    private static func decode(_ row: SQLRow, of table: StoredTable) throws {
        func text(_ column: String) throws -> String {
            guard let index = table.index(of: column) else { throw Unreadable() }
            return try row.text(index)
        }
        switch table.name {
        case "record":
            _ = try StoredText.fields(text("fields"))
            _ = try StoredText.stamps(text("stamps"))
        case "feed":
            guard ["list", "account"].contains(try text("kind")) else { throw Unreadable() }
        case "programme": _ = try ProgrammeRow.reading(text("json"))
        case _ where allBytesAreIDs(in: table):
            for (value, column) in zip(row.values, table.columns) where column.type == "BYTES" {
                guard case .uuid = value else { throw Unreadable() }
            }
        default: break
        }
    }

    /// Notes the ids in a row to which others refer, and those to which it refers.
    private mutating func note(_ row: SQLRow, of table: StoredTable) throws {
        func value(_ column: String) throws -> SQLValue {
            guard let index = table.index(of: column) else { throw Unreadable() }
            return row.values[index]
        }
        for reference in Self.references {
            if reference.target == table.name { known[table.name, default: []].insert(try value("id")) }
            if reference.table == table.name { wanted[reference, default: []].insert(try value(reference.column)) }
        }
    }

    /// The ids among some values. Other values can be what somebody has written.
    private static func ids(_ values: [SQLValue], of table: StoredTable? = nil) -> [String] {
        let showsDamaged = table.map { allBytesAreIDs(in: $0) } ?? false
        return values.compactMap { value in
            if case .bytes = value, !showsDamaged { return nil }
            return value.idText
        }
    }

    /// Whether all bytes in a table are ids: in the tables of which the background job of sharing reads one row after the
    /// other. Other bytes there are damaged ids.
    private static func allBytesAreIDs(in table: StoredTable) -> Bool {
        SharingSubject.Table(rawValue: table.name) != nil
    }
}
