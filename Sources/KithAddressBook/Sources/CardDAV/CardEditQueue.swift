import Foundation
import GRDB
import KithCards

/// The waiting edits of an account's cards, stored on the disk: at most one for each card.
struct CardEditQueue: Sendable {
    let database: BookDatabase
    let source: String

    /// The edits, oldest first. An edit that cannot be read is left out.
    func edits() async throws -> [CardEdit] {
        try await database.read { db in
            let sql = """
                SELECT ordinal, book, path, original, edited, refusal FROM waitingEdit
                    WHERE source = ? ORDER BY ordinal
                """
            return try Row.fetchAll(db, sql: sql, arguments: [source]).compactMap { row in
                guard let original = try? VCard(row[3] as Data) else { return nil }
                let edited = (row[4] as Data?).map { try? VCard($0) }
                if case .some(nil) = edited { return nil }
                return CardEdit(
                    ordinal: row[0], book: row[1], path: row[2], original: original, edited: edited ?? nil,
                    refusal: row[5])
            }
        }
    }

    /// Stores an edit and replaces an earlier one of the same card.
    ///
    /// - Returns: The edit with its ordinal.
    func keep(_ edit: CardEdit) async throws -> CardEdit {
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO waitingEdit (source, book, path, original, edited, refusal)
                        VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    source, edit.book, edit.path, Data(edit.original.bytes), edit.edited.map { Data($0.bytes) },
                    edit.refusal,
                ])
            var kept = edit
            kept.ordinal = db.lastInsertedRowID
            return kept
        }
    }

    /// Removes an edit that was sent, and stores the server's card; nil if the card was removed there.
    ///
    /// A later edit of the same card continues from the server's card.
    func finish(_ edit: CardEdit, _ card: CardCache.StoredCard?) async throws {
        let cache = CardCache(database: database, source: source)
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM waitingEdit WHERE source = ? AND path = ? AND (ordinal = ? OR ?)",
                arguments: [source, edit.path, edit.ordinal, card == nil])
            guard let card else { return try cache.remove([edit.path], db) }
            try db.execute(
                sql: "UPDATE waitingEdit SET original = ? WHERE source = ? AND path = ?",
                arguments: [Data(card.bytes), source, edit.path])
            try cache.keep([card], db)
        }
    }

    /// Removes the edit of a card. The card stays as it is on the server.
    func giveUp(_ path: String) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM waitingEdit WHERE source = ? AND path = ?", arguments: [source, path])
        }
    }
}
