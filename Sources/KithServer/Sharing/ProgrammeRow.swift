import Foundation
package import KithModel

/// A row of the table `programme`: the operator's file, and whether the programme is paused.
package struct ProgrammeRow: Hashable, Sendable {
    /// The programme. Its `isPaused` is that of the row, not of the file. If this version cannot read the file, it is a paused
    /// programme with its name as the title, under the default rules.
    package let programme: Programme
    /// What this version cannot read in the file, with its place; nil if it can read the file.
    package let fault: String?
    /// The operator's file, unchanged.
    package let json: String
    package let created: Timestamp
    /// When the file, or whether it is paused, last changed.
    package let changed: Timestamp

    /// The programmes by their files, which are read for each visit of a link. More than an operator has.
    private static let read = Memo<String, Result<Programme, ServerError>>(most: 100)

    private static let columns = "name, json, is_paused, created, changed"

    private init(_ row: SQLRow) throws {
        let (name, json) = (try row.text(0), try row.text(1))
        let isPaused = try row.flag(2)
        let file = try Self.read.value(for: json) { try Self.reading(json) }
        switch file {
        case .success(var programme):
            programme.isPaused = isPaused
            (self.programme, fault) = (programme, nil)
        case .failure(let error):
            var programme = Programme(name: name, isPaused: true, title: ["en": name], text: [:])
            // Whoever may have brought somebody has shared within the longest window.
            programme.attribution.window = .days(366)
            (self.programme, fault) = (programme, "\(error.sentence) The place: \(error.path ?? "$")")
        }
        self.json = json
        created = try row.time(3)
        changed = try row.time(4)
    }

    /// The programme of a file, or what this version cannot read in it: another version may have stored it.
    ///
    /// - Throws: ``ServerError`` if the file is no JSON, which nobody has stored.
    static func reading(_ json: String) throws -> Result<Programme, ServerError> {
        let data = Data(json.utf8)
        do throws(ServerError) {
            return .success(try ProgrammeFile.read(data))
        } catch {
            guard (try? JSONDecoder().decode(FieldValue.self, from: data)) != nil else {
                throw DamagedRecord().serverError
            }
            return .failure(error)
        }
    }

    /// The programme with this name; nil if there is none.
    ///
    /// - Throws: ``ServerError`` if this version cannot read it. The background job then lets the work about it wait.
    package static func find(_ name: String, in transaction: any Transaction) throws -> ProgrammeRow? {
        let row = try stored(name, in: transaction)
        if let fault = row?.fault {
            throw ServerError(.internalError, "This version cannot read the programme “\(name)”. \(fault)")
        }
        return row
    }

    /// The programme with this name, also if this version cannot read it; nil if there is none.
    package static func stored(_ name: String, in transaction: any Transaction) throws -> ProgrammeRow? {
        try transaction.query("SELECT \(columns) FROM programme WHERE name = ?", [.text(name)]).first
            .map(ProgrammeRow.init)
    }

    /// The programmes, sorted by their names, also those that this version cannot read.
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
