import Foundation
package import KithModel

/// A row of the table `programme`: the operator's file, and whether the programme is paused.
package struct ProgrammeRow: Hashable, Sendable {
    /// The programme. Its `isPaused` is that of the row, not of the file.
    package let programme: Programme
    /// The operator's file, unchanged.
    package let json: String
    package let created: Timestamp
    /// When the file, or whether it is paused, last changed.
    package let changed: Timestamp

    /// The programmes by their files, which are read for each visit of a link. More than an operator has.
    private static let read = Memo<String, Programme>(most: 100)

    private static let columns = "json, is_paused, created, changed"

    private init(_ row: SQLRow) throws {
        let json = try row.text(0)
        self.json = json
        var programme = try Self.read.value(for: json) {
            let data = Data(json.utf8)
            if let programme = try? ProgrammeFile.read(data) { return programme }
            // A newer program may have stored a file that this one does not know.
            let isJSON = (try? JSONDecoder().decode(FieldValue.self, from: data)) != nil
            throw isJSON
                ? ServerError(.internalError, "A stored programme cannot be read.") : DamagedRecord().serverError
        }
        programme.isPaused = try row.flag(1)
        self.programme = programme
        created = try row.time(2)
        changed = try row.time(3)
    }

    /// The programme with this name; nil if there is none.
    package static func find(_ name: String, in transaction: any Transaction) throws -> ProgrammeRow? {
        try transaction.query("SELECT \(columns) FROM programme WHERE name = ?", [.text(name)]).first
            .map(ProgrammeRow.init)
    }

    /// The programmes, sorted by their names.
    package static func all(in transaction: any Transaction) throws -> [ProgrammeRow] {
        try transaction.query("SELECT \(columns) FROM programme ORDER BY name").map(ProgrammeRow.init)
    }

    /// Stores a new or replaced programme.
    static func write(_ programme: Programme, _ json: String, at now: Timestamp, in transaction: any Transaction) throws
    {
        try transaction.execute(
            """
            INSERT INTO programme (name, json, is_paused, created, changed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET json = excluded.json, changed = excluded.changed
            """,
            [.text(programme.name), .text(json), .flag(programme.isPaused), .time(now), .time(now)])
    }

    /// Pauses a programme, or ends its pause.
    ///
    /// - Returns: Whether there is one with this name.
    static func setPaused(
        _ isPaused: Bool, _ name: String, at now: Timestamp, in transaction: any Transaction
    ) throws -> Bool {
        try transaction.changes(
            """
            UPDATE programme SET changed = CASE WHEN is_paused = ? THEN changed ELSE ? END, is_paused = ?
            WHERE name = ? RETURNING name
            """, [.flag(isPaused), .time(now), .flag(isPaused), .text(name)])
    }
}
