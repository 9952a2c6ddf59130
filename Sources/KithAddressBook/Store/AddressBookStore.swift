package import Foundation
package import GRDB
import Kith

/// The address book's stored data: its sources, the user's links, the order of names and the region of numbers.
///
/// It is a SQLite file next to the replica. The only cards in it are those of accounts (``CardCache``).
package final class AddressBookStore: Sendable {
    /// A source that is opened at each start.
    struct StoredSource: Sendable {
        let id: SourceID
        let name: String
        /// The location; nil if a newer version has written a kind of location that this version does not know.
        let location: SourceLocation?
    }

    /// A setting of the user.
    enum Setting: String { case region, nameOrder }

    private let book: BookDatabase
    private let folders: MovableFolders
    package var database: any DatabaseWriter { book.writer }
    /// Where a damaged file was moved, if there was one.
    let movedAside: URL?

    /// The store in the file at `url`; in memory if it is nil. `home` is the home folder.
    ///
    /// - Throws: ``KithError``: `database`, `diskFull`, `newerVersion` …
    package init(_ url: URL?, home: URL = URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)) throws {
        folders = MovableFolders(client: url?.deletingLastPathComponent(), home: home)
        do {
            let writer: any DatabaseWriter
            if let url {
                let file = DatabaseFile(url: url, tables: AddressBookSchema.tables)
                (writer, movedAside) = try file.open(configuration: Replica.configuration) { writer, movedAside in
                    try AddressBookStore.prepare(writer, salvaging: movedAside)
                }
            } else {
                (writer, movedAside) = (try DatabaseQueue(configuration: Replica.configuration), nil)
                try Self.prepare(writer, salvaging: nil)
            }
            book = BookDatabase(writer: writer)
            // If this fails, the locations are read as they are.
            try? storeMoves()
        } catch let error as DatabaseError {
            throw KithError(error)
        }
    }

    /// Makes the tables, and copies what can be read of a damaged file.
    private static func prepare(_ writer: any DatabaseWriter, salvaging movedAside: URL?) throws {
        let migrator = AddressBookSchema.migrator
        if try writer.read({ try migrator.hasBeenSuperseded($0) }) { throw KithError.newerVersion }
        try migrator.migrate(writer)
        // If a table is damaged, this is skipped; reading the table reports the damage.
        try? writer.write { try $0.execute(sql: AddressBookSchema.forgettingOrphans) }
        if let movedAside { try salvage(movedAside, into: writer) }
    }

    /// Copies the readable data of a damaged file.
    ///
    /// The cache may lack cards that could not be read. The sync tokens of its books are therefore removed, so that the
    /// next load requests the missing cards. The others are shown until then.
    private static func salvage(_ broken: URL, into writer: any DatabaseWriter) throws {
        try DatabaseFile.reading(damaged: broken) { damaged in
            try writer.write { db in
                for table in AddressBookSchema.tables {
                    DatabaseFile.forEachRow(of: table, in: damaged) { row in
                        DatabaseFile.insert(row, into: table, setting: table == "cachedBook" ? ["token": ""] : [:], db)
                    }
                }
            }
        }
    }

    // MARK: Sources

    func sources() throws -> [StoredSource] {
        try book.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM source ORDER BY id").map { row in
                let location = Self.stored(row)?.location(in: folders)
                return StoredSource(id: Self.id(row["id"]), name: row["name"], location: location)
            }
        }
    }

    /// Stores the locations again that have moved with a folder, or whose place in one was not stored yet.
    private func storeMoves() throws {
        try database.write { db in
            for row in try Row.fetchAll(db, sql: "SELECT * FROM source") {
                guard let before = Self.stored(row), let location = before.location(in: folders) else { continue }
                let now = before.renewed(as: location, in: folders)
                if now == before { continue }
                try db.execute(
                    sql: "UPDATE source SET location = ? WHERE id = ?",
                    arguments: [try Self.json(now), row["id"] as Int64])
            }
        }
    }

    /// The stored location of a row; nil if this version does not know its kind.
    private static func stored(_ row: Row) -> StoredLocation? {
        try? JSONDecoder().decode(StoredLocation.self, from: Data((row["location"] as String).utf8))
    }

    private static func json(_ location: StoredLocation) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(location), as: UTF8.self)
    }

    func addSource(_ location: SourceLocation, name: String) async throws -> SourceID {
        let json = try Self.json(StoredLocation(location, in: folders))
        return try await book.write { db in
            try db.execute(sql: "INSERT INTO source (name, location) VALUES (?, ?)", arguments: [name, json])
            return Self.id(db.lastInsertedRowID)
        }
    }

    /// Removes a source with the decisions on its cards.
    func removeSource(_ id: SourceID) async throws {
        try await book.write { db in
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
        try book.read { db in
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

    func keep(_ decisions: [LinkDecisions.Decision]) async throws {
        try await book.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO link (first, second, isTogether) VALUES (?, ?, ?)")
            for decision in decisions {
                let pair = decision.pair
                try statement.execute(
                    arguments: [pair.first.rawValue, pair.second.rawValue, decision.isTogether])
            }
        }
    }

    /// Removes the decisions on these cards.
    func forgetLinks(of cards: Set<Contact.ID>) async throws {
        try await book.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM link WHERE first = :card OR second = :card")
            for card in cards { try statement.execute(arguments: ["card": card.rawValue]) }
        }
    }

    /// Removes all choices of the user, the links and the settings, and what was stored of a source after its removal.
    func removeRest() async throws {
        try await book.write {
            try $0.execute(sql: "DELETE FROM link; DELETE FROM setting; \(AddressBookSchema.forgettingOrphans)")
        }
    }

    // MARK: Settings

    func setting(_ setting: Setting) throws -> String? {
        try book.read { db in
            try String.fetchOne(
                db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting.rawValue])
        }
    }

    /// Stores a setting; nil removes it.
    func set(_ setting: Setting, _ value: String?) async throws {
        try await book.write { db in
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [setting.rawValue])
            guard let value else { return }
            try db.execute(
                sql: "INSERT INTO setting (name, value) VALUES (?, ?)", arguments: [setting.rawValue, value])
        }
    }
}
