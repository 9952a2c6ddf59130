package import Foundation
import GRDB
import KithModel

/// What the address book keeps: its sources, what was linked by hand, and how names and numbers are read.
///
/// A SQLite file of its own beside the replica. Cards are not in it but those
/// of accounts, which ``CardCache`` keeps.
package final class AddressBookStore: Sendable {
    typealias SourceID = AddressBook.SourceID

    /// A source that is opened at each start.
    struct StoredSource: Sendable {
        let id: SourceID
        let name: String
        /// Nil if a newer version wrote it, and this one does not know such places.
        let location: SourceLocation?
    }

    /// A choice of the user's.
    enum Setting: String { case region, nameOrder }

    let database: any DatabaseWriter
    private let file: DatabaseFile?
    /// Where a damaged file was moved, if there was one.
    let movedAside: URL?

    /// The store in the file at `url`; in memory if it is nil.
    ///
    /// - Throws: ``KithError``: `database`, `diskFull` …
    package init(_ url: URL?) throws {
        do {
            if let url {
                let file = DatabaseFile(url: url, tables: Self.tables)
                self.file = file
                (database, movedAside) = try file.open(configuration: Replica.configuration)
            } else {
                database = try DatabaseQueue(configuration: Replica.configuration)
                (file, movedAside) = (nil, nil)
            }
            try AddressBookSchema.migrator.migrate(database)
            if let movedAside {
                try salvage(from: movedAside)
                file?.noteSalvaged()
            }
        } catch let error as DatabaseError {
            throw KithError(error)
        }
    }

    private static let tables = ["source", "link", "setting"]

    /// Takes over what can be read of a damaged file. Accounts are read anew.
    private func salvage(from broken: URL) throws {
        var readonly = Configuration()
        readonly.readonly = true
        guard let damaged = try? DatabaseQueue(path: broken.path, configuration: readonly) else { return }
        let rows = Self.tables.map { ($0, DatabaseFile.rows(of: $0, in: damaged)) }
        try database.write { db in
            for (table, rows) in rows { for row in rows { DatabaseFile.insert(row, into: table, db) } }
        }
    }

    // MARK: Sources

    func sources() throws -> [StoredSource] {
        try failing {
            try database.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM source ORDER BY id").map { row in
                    let location = try? JSONDecoder().decode(
                        SourceLocation.self, from: Data((row["location"] as String).utf8))
                    return StoredSource(id: Self.id(row["id"]), name: row["name"], location: location)
                }
            }
        }
    }

    func addSource(_ location: SourceLocation, name: String) async throws -> SourceID {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(location), as: UTF8.self)
        return try await write { db in
            try db.execute(sql: "INSERT INTO source (name, location) VALUES (?, ?)", arguments: [name, json])
            return Self.id(db.lastInsertedRowID)
        }
    }

    /// Forgets a source, and what was said of its cards.
    func removeSource(_ id: SourceID) async throws {
        try await write { db in
            if let row = Int64(id.rawValue.dropFirst(Self.mark.count)), id == Self.id(row) {
                try db.execute(sql: "DELETE FROM source WHERE id = ?", arguments: [row])
            }
            let prefix = id.prefixOfIDs
            try db.execute(
                sql: """
                    DELETE FROM link
                        WHERE substr(first, 1, length(:prefix)) = :prefix OR substr(second, 1, length(:prefix)) = :prefix
                    """,
                arguments: ["prefix": prefix])
        }
    }

    private static let mark = "source-"

    private static func id(_ row: Int64) -> SourceID { SourceID(rawValue: "\(mark)\(row)") }

    // MARK: Links

    func decisions() throws -> LinkDecisions {
        try failing {
            try database.read { db in
                var decisions = LinkDecisions()
                decisions.take(
                    try Row.fetchAll(db, sql: "SELECT first, second, isTogether FROM link ORDER BY ordinal").map {
                        LinkDecisions.Decision(
                            pair: LinkDecisions.Pair(.init(rawValue: $0["first"]), .init(rawValue: $0["second"])),
                            isTogether: $0["isTogether"])
                    })
                return decisions
            }
        }
    }

    func keep(_ decisions: [LinkDecisions.Decision]) async throws {
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO link (first, second, isTogether) VALUES (?, ?, ?)")
            for decision in decisions {
                let pair = decision.pair
                try statement.execute(
                    arguments: [pair.first.rawValue, pair.second.rawValue, decision.isTogether])
            }
        }
    }

    // MARK: Settings

    func setting(_ setting: Setting) throws -> String? {
        try failing {
            try database.read { db in
                try String.fetchOne(
                    db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting.rawValue])
            }
        }
    }

    /// Keeps a choice; nil forgets it.
    func set(_ setting: Setting, _ value: String?) async throws {
        try await write { db in
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [setting.rawValue])
            guard let value else { return }
            try db.execute(
                sql: "INSERT INTO setting (name, value) VALUES (?, ?)", arguments: [setting.rawValue, value])
        }
    }

    // MARK: Failing

    private func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        do { return try await database.write(body) } catch { throw noted(error) }
    }

    private func failing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw noted(error) }
    }

    /// The error as the SDK's own. Damage is noted for the next start.
    private func noted(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let own = KithError(error)
        if own.code == .replicaBroken { file?.markDamaged() }
        return own
    }
}
