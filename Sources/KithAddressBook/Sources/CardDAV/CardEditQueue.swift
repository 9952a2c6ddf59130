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
                SELECT ordinal, book, path, original, edited, attempted, refusal FROM waitingEdit
                    WHERE source = ? ORDER BY ordinal
                """
            return try Row.fetchAll(db, sql: sql, arguments: [source]).compactMap { row in
                guard let original = try? VCard(row[3] as Data) else { return nil }
                let edited = (row[4] as Data?).map { try? VCard($0) }
                if case .some(nil) = edited { return nil }
                let attempted = (row[5] as Data?).flatMap { try? VCard($0) }
                return CardEdit(
                    ordinal: row[0], book: row[1], path: row[2], original: original, edited: edited ?? nil,
                    attempted: attempted, refusal: row[6], isReported: true)
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
    }

    /// Stores a new form of the edit that has this ordinal.
    func update(_ edit: CardEdit) async throws { try await database.write { try update(edit, $0) } }

    /// Stores an edit under the address to which its card has moved.
    func move(_ edit: CardEdit, to place: (book: String, path: String)) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE waitingEdit SET book = ?, path = ? WHERE source = ? AND path = ? AND ordinal = ?",
                arguments: [place.book, place.path, source, edit.path, edit.ordinal])
        }
    }

    /// Removes an edit that was sent, and stores the server's card; nil if the card was removed there.
    ///
    /// `later` is the new form of a later edit of the same card.
    func finish(_ edit: CardEdit, _ card: CardCache.StoredCard?, updating later: CardEdit?) async throws {
        let cache = CardCache(database: database, source: source)
        try await database.write { db in
            try remove(edit, db)
            if let later { try update(later, db) }
            guard let card else { return try cache.remove([edit.path], db) }
            try cache.keep([card], db)
        }
    }

    /// Removes an edit. The card stays as it is on the server.
    func remove(_ edit: CardEdit) async throws { try await database.write { try remove(edit, $0) } }

    /// The same as ``update(_:)``, inside a transaction.
    private func update(_ edit: CardEdit, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE waitingEdit SET original = ?, edited = ?, attempted = ?, refusal = ?
                    WHERE source = ? AND path = ? AND ordinal = ?
                """,
            arguments: [
                Data(edit.original.bytes), edit.edited.map { Data($0.bytes) }, edit.attempted.map { Data($0.bytes) },
                edit.refusal, source, edit.path, edit.ordinal,
            ])
    }

    /// The same as ``remove(_:)``, inside a transaction. An edit with another ordinal stays.
    private func remove(_ edit: CardEdit, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM waitingEdit WHERE source = ? AND path = ? AND ordinal = ?",
            arguments: [source, edit.path, edit.ordinal])
    }
}
