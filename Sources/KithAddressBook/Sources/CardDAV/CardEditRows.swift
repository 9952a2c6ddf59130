import Foundation
import GRDB
import KithCards

/// The stored edits of an account's cards, within a transaction: at most one for each card.
struct CardEditRows {
    let db: Database
    let source: String

    private static let columns = "ordinal, book, path, original, edited, attempted, refusal"

    /// The edits, oldest first. An edit that cannot be read is left out.
    func all() throws -> [CardEdit] {
        let sql = "SELECT \(Self.columns) FROM waitingEdit WHERE source = ? ORDER BY ordinal"
        return try Row.fetchAll(db, sql: sql, arguments: [source]).compactMap { CardEdit($0) }
    }

    /// The edit of the card at a path; nil if there is none, or if it cannot be read.
    func edit(at path: String) throws -> CardEdit? {
        let sql = "SELECT \(Self.columns) FROM waitingEdit WHERE source = ? AND path = ?"
        return try Row.fetchOne(db, sql: sql, arguments: [source, path]).flatMap { CardEdit($0) }
    }

    /// The edit with an ordinal; nil if there is none, or if it cannot be read.
    func edit(_ ordinal: Int64) throws -> CardEdit? {
        let sql = "SELECT \(Self.columns) FROM waitingEdit WHERE source = ? AND ordinal = ?"
        return try Row.fetchOne(db, sql: sql, arguments: [source, ordinal]).flatMap { CardEdit($0) }
    }

    /// Stores an edit and replaces an earlier one of the same card.
    ///
    /// - Returns: The edit with its ordinal.
    func keep(_ edit: CardEdit) throws -> CardEdit {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO waitingEdit (source, book, path, original, edited, attempted, refusal)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                source, edit.book, edit.path, Data(edit.original.bytes), edit.edited.map { Data($0.bytes) },
                edit.attempted.map { Data($0.bytes) }, edit.refusal,
            ])
        var kept = edit
        kept.ordinal = db.lastInsertedRowID
        return kept
    }

    /// Stores a new form of the edit that has this ordinal.
    ///
    /// - Returns: False if there is no such edit of the card any more.
    @discardableResult func update(_ edit: CardEdit) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE waitingEdit SET original = ?, edited = ?, attempted = ?, refusal = ?
                    WHERE source = ? AND path = ? AND ordinal = ?
                """,
            arguments: [
                Data(edit.original.bytes), edit.edited.map { Data($0.bytes) }, edit.attempted.map { Data($0.bytes) },
                edit.refusal, source, edit.path, edit.ordinal,
            ])
        return db.changesCount > 0
    }

    /// Stores the address to which the card of an edit has moved.
    func move(_ edit: CardEdit, to place: (book: String, path: String)) throws {
        try db.execute(
            sql: "UPDATE waitingEdit SET book = ?, path = ? WHERE source = ? AND ordinal = ?",
            arguments: [place.book, place.path, source, edit.ordinal])
    }

    /// Removes an edit. A later edit of the same card has another ordinal, and stays.
    func remove(_ edit: CardEdit) throws {
        try db.execute(
            sql: "DELETE FROM waitingEdit WHERE source = ? AND ordinal = ?", arguments: [source, edit.ordinal])
    }
}

extension CardEdit {
    /// The edit of a row; nil if one of its cards cannot be read.
    fileprivate init?(_ row: Row) {
        guard let original = try? VCard(row[3] as Data) else { return nil }
        let edited = (row[4] as Data?).map { try? VCard($0) }
        if case .some(nil) = edited { return nil }
        let attempted = (row[5] as Data?).flatMap { try? VCard($0) }
        self.init(
            ordinal: row[0], book: row[1], path: row[2], original: original, edited: edited ?? nil,
            attempted: attempted, refusal: row[6], isReported: true)
    }
}
