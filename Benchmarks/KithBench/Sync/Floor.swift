import Foundation
import GRDBSQLite

/// The floor of every row: SQLite through its C API, and nothing else.
final class Floor {
    /// The name of the floor in the table.
    static let name = "SQLite in C"

    /// SQLITE_TRANSIENT: SQLite must copy bound bytes. The C macro is not available in Swift.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private var database: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    enum Value {
        case integer(Int64), text(String), bytes(Data)
    }

    init(path: String) {
        check(sqlite3_open(path, &database))
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    /// Creates the replica's tables of items and of the outbox.
    func createTables() {
        run(
            """
            CREATE TABLE item (account INTEGER NOT NULL, list BLOB NOT NULL, id BLOB NOT NULL, title TEXT, count INTEGER,
                ticked INTEGER, position TEXT, category TEXT, comment TEXT, offer TEXT, creator BLOB, extra TEXT,
                sequence INTEGER NOT NULL, modified INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (account, id, list))
            """)
        run("CREATE INDEX item_order ON item (account, list, position, id)")
        run(
            """
            CREATE TABLE mutation (ordinal INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, id BLOB NOT NULL,
                number INTEGER, grouping INTEGER, feed BLOB, collection TEXT NOT NULL, record BLOB NOT NULL,
                seen INTEGER NOT NULL, change TEXT NOT NULL, edited INTEGER NOT NULL, edits TEXT, taken INTEGER,
                made INTEGER NOT NULL DEFAULT 0)
            """)
        run("CREATE INDEX mutation_waiting ON mutation (account, ordinal) WHERE taken IS NULL")
        run("CREATE INDEX mutation_record ON mutation (account, record) WHERE taken IS NULL")
        run("CREATE INDEX mutation_flight ON mutation (account, number) WHERE taken IS NULL AND number IS NOT NULL")
        run("CREATE INDEX mutation_log ON mutation (account, taken) WHERE taken IS NOT NULL")
    }

    func insertItem(list: Data, id: Data, title: String, position: String, creator: Data) {
        run(
            """
            INSERT INTO item (account, list, id, title, count, ticked, position, creator, sequence, modified)
            VALUES (1, ?, ?, ?, 1, 0, ?, ?, 1, 1790000000000)
            ON CONFLICT DO UPDATE SET title = excluded.title, sequence = excluded.sequence
            """, [.bytes(list), .bytes(id), .text(title), .text(position), .bytes(creator)])
    }

    /// Inserts items in one transaction, with as little work around SQLite as possible.
    func insert(_ items: [PlainItem]) {
        let statement = prepare(
            """
            INSERT INTO item (account, list, id, title, position, creator, sequence, modified)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?)
            """)
        func bind(_ id: UUID, at place: Int32) {
            withUnsafeBytes(of: id.uuid) {
                check(sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), Self.transient))
            }
        }
        run("BEGIN IMMEDIATE")
        for item in items {
            bind(item.list, at: 1)
            bind(item.id, at: 2)
            check(sqlite3_bind_text(statement, 3, item.title, -1, Self.transient))
            check(sqlite3_bind_text(statement, 4, item.position, -1, Self.transient))
            bind(item.creator, at: 5)
            check(sqlite3_bind_int64(statement, 6, item.sequence))
            check(sqlite3_bind_int64(statement, 7, item.modified))
            let result = sqlite3_step(statement)
            check(result == SQLITE_DONE ? SQLITE_OK : result)
            sqlite3_reset(statement)
        }
        run("COMMIT")
    }

    /// The number of rows of a table.
    func count(of table: String) -> Int {
        let statement = prepare("SELECT count(*) FROM \(table)")
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
    }

    func insertMutation(list: Data, id: Data, change: String) {
        run(
            """
            INSERT INTO mutation (account, id, feed, collection, record, seen, change, edited)
            VALUES (1, ?, ?, 'item', ?, 0, ?, 1790000000000)
            """, [.bytes(id), .bytes(list), .bytes(id), .text(change)])
    }

    /// Reads a list as an app does, with each column as a separate value.
    func readList(_ list: Data) -> [(id: Data, title: String, count: Int64, ticked: Bool, position: String)] {
        let statement = prepare(
            """
            SELECT id, list, title, count, ticked, position, category, comment, offer, creator, modified FROM item
            WHERE account = 1 AND NOT removed AND list = ? ORDER BY position, id
            """)
        bind([.bytes(list)], to: statement)
        var rows: [(id: Data, title: String, count: Int64, ticked: Bool, position: String)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (
                    Data(bytes: sqlite3_column_blob(statement, 0), count: 16),
                    String(cString: sqlite3_column_text(statement, 2)), sqlite3_column_int64(statement, 3),
                    sqlite3_column_int64(statement, 4) != 0, String(cString: sqlite3_column_text(statement, 5))
                ))
        }
        sqlite3_reset(statement)
        return rows
    }

    /// Reads the people of a replica as an app does, with each column as a separate value.
    func readPeople() -> [(id: Data, wish: String, asked: Int64, texts: [String?], modified: Int64)] {
        let statement = prepare(
            """
            SELECT id, wish, asked, notified, isBlocked, mutedFrom, mutedUntil, isBot, given, family, nick, title, jobTitle,
                company, status, pictureSmall, pictureLarge, detailsTag, modified
            FROM contact WHERE NOT removed ORDER BY family, given, id
            """)
        var rows: [(id: Data, wish: String, asked: Int64, texts: [String?], modified: Int64)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (
                    Data(bytes: sqlite3_column_blob(statement, 0), count: 16),
                    String(cString: sqlite3_column_text(statement, 1)), sqlite3_column_int64(statement, 2),
                    (8..<18).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } },
                    sqlite3_column_int64(statement, 18)
                ))
        }
        sqlite3_reset(statement)
        return rows
    }

    func run(_ sql: String, _ values: [Value] = []) {
        let statement = prepare(sql)
        bind(values, to: statement)
        var result = sqlite3_step(statement)
        while result == SQLITE_ROW { result = sqlite3_step(statement) }
        check(result == SQLITE_DONE ? SQLITE_OK : result)
        sqlite3_reset(statement)
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        statements[sql] = statement
        return statement
    }

    private func bind(_ values: [Value], to statement: OpaquePointer?) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .integer(let integer): check(sqlite3_bind_int64(statement, place, integer))
            case .text(let text): check(sqlite3_bind_text(statement, place, text, -1, Self.transient))
            case .bytes(let data):
                _ = data.withUnsafeBytes {
                    sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), Self.transient)
                }
            }
        }
    }

    private func check(_ result: Int32) {
        precondition(result == SQLITE_OK, "SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }
}
