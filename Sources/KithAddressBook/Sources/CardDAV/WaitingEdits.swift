import GRDB
import Kith
import KithCards
import Synchronization

/// The edits of an account's cards that have not reached the server: at most one for each card, on the disk.
///
/// Each call reads what is stored, because another process may have stored, sent or discarded edits. An edit can be stored
/// while an earlier one of the same card is being sent. It has a higher ordinal and contains the earlier one. Finishing or
/// refusing the earlier edit leaves the later one in place.
final class WaitingEdits: Sendable {
    private let database: BookDatabase
    private let source: String
    private let memory = Mutex(Memory())

    /// What only this process knows of edits, by their ordinals.
    private struct Memory {
        /// Those that the app does not know to be saved, by the paths at which they were stored.
        var unreported: [String: Int64] = [:]
        /// Why the server did not take an edit at the last attempt.
        var failures: [Int64: String] = [:]

        mutating func forget(_ edit: CardEdit) {
            unreported = unreported.filter { $0.value != edit.ordinal }
            failures[edit.ordinal] = nil
        }
    }

    /// The edits of the account that is stored under `source`.
    init(_ database: BookDatabase, source: String) { (self.database, self.source) = (database, source) }

    /// The edits, oldest first.
    func all() async throws -> [CardEdit] {
        try await database.read { [self] db in try rows(db).all().map(remembered) }
    }

    /// The edit of the card at a path; nil if there is none.
    func edit(of path: String) async throws -> CardEdit? {
        try await database.read { [self] db in try rows(db).edit(at: path).map(remembered) }
    }

    /// Stores an edit, merged with a waiting one of the same card.
    ///
    /// - Returns: The edit; nil if there is nothing to send.
    func store(_ new: CardEdit) async throws -> CardEdit? {
        try await database.write { [self] db in
            let rows = rows(db)
            let waiting = try rows.edit(at: new.path).map(remembered)
            let edit = try new.following(waiting)
            if let waiting { memory.withLock { $0.forget(waiting) } }
            // If an edit was sent before it was undone, the server may have it.
            if edit.isUndone, edit.attempted == nil {
                if let waiting { try rows.remove(waiting) }
                return nil
            }
            let stored = try rows.keep(edit)
            if !stored.isReported { memory.withLock { $0.unreported[stored.path] = stored.ordinal } }
            return stored
        }
    }

    /// The edit of a card; nil if there is none. A refused edit waits again.
    func renewed(_ path: String) async throws -> CardEdit? {
        try await database.write { [self] db in
            guard var edit = try rows(db).edit(at: path).map(remembered) else { return nil }
            if edit.refusal != nil {
                edit.refusal = nil
                try rows(db).update(edit)
            }
            return edit
        }
    }

    /// Notes that an edit is about to be sent in this form.
    ///
    /// - Returns: False if the card was edited again, or the edit undone, in the meantime.
    func attempt(_ edit: CardEdit) async throws -> Bool {
        try await database.write { [self] db in try rows(db).update(edit) }
    }

    /// Moves the edit at a path to the address to which another program has moved its card.
    ///
    /// - Returns: The moved edit; nil if it was undone in the meantime.
    /// - Throws: ``KithError`` with `busy` if there is an edit of the card at the new address.
    func move(_ path: String, to place: (book: String, path: String)) async throws -> CardEdit? {
        try await database.write { [self] db in
            let rows = rows(db)
            guard var edit = try rows.edit(at: path).map(remembered) else { return nil }
            guard try rows.edit(at: place.path) == nil else {
                throw KithError(.busy, "The card has moved, and another edit of it waits at its new address.")
            }
            try rows.move(edit, to: place)
            (edit.book, edit.path) = place
            return edit
        }
    }

    /// Removes an edit that was sent, and stores the server's card; nil if the card was removed there.
    ///
    /// A later edit of the same card continues from the server's card.
    func finish(_ edit: CardEdit, _ card: CardCache.StoredCard?) async throws {
        let cache = CardCache(database: database, source: source)
        try await database.write { [self] db in
            let rows = rows(db)
            try rows.remove(edit)
            memory.withLock { $0.forget(edit) }
            if let card, let sent = edit.attempted ?? edit.edited, let later = try rows.edit(at: edit.path) {
                try rows.update(later.continued(from: sent, to: (try? VCard(card.bytes)) ?? sent))
            }
            guard let card else { return try cache.remove([edit.path], db) }
            try cache.keep([card], db)
        }
    }

    /// Notes why the server did not take an edit now; nil if it was not asked.
    func note(_ failure: String?, of edit: CardEdit) { memory.withLock { $0.failures[edit.ordinal] = failure } }

    /// Forgets the edit of a card.
    func discard(_ path: String) async throws {
        try await database.write { [self] db in
            if let edit = try rows(db).edit(at: path) { try remove(edit, db) }
        }
    }

    /// Notes that the app is told that the edit of a card is saved.
    func report(_ path: String) { memory.withLock { $0.unreported[path] = nil } }

    /// Keeps an edit that the server has refused, unless the card was edited again. It shows as a fault until the card is
    /// edited again. If `isThrown`, the app learns of the refusal now, so the edit is kept only if it was reported as saved.
    func refuse(_ edit: CardEdit, _ error: KithError, isThrown: Bool = false) async throws {
        try await database.write { [self] db in
            // It may have moved to another path.
            guard var refused = try rows(db).edit(edit.ordinal).map(remembered) else { return }
            if isThrown, !refused.isReported { return try remove(refused, db) }
            refused.refusal = refused.sentence(refusedBy: error)
            try rows(db).update(refused)
        }
    }

    private func remove(_ edit: CardEdit, _ db: Database) throws {
        try rows(db).remove(edit)
        memory.withLock { $0.forget(edit) }
    }

    private func rows(_ db: Database) -> CardEditRows { CardEditRows(db: db, source: source) }

    /// The edit with what only this process knows of it.
    private func remembered(_ stored: CardEdit) -> CardEdit {
        var edit = stored
        memory.withLock { memory in
            edit.isReported = !memory.unreported.values.contains(edit.ordinal)
            edit.failure = memory.failures[edit.ordinal]
        }
        return edit
    }
}
