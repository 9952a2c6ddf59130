import Kith
import KithCards
import Synchronization

/// The edits of an account's cards that have not reached the server: at most one for each card, in memory and on the
/// disk.
///
/// An edit can be stored while an earlier one of the same card is being sent. It has a higher ordinal and contains the
/// earlier one. Finishing or refusing the earlier edit leaves the later one in place.
final class WaitingEdits: Sendable {
    private let queue: CardEditQueue
    /// Allows one change at a time.
    private let changing = AsyncLock()
    /// By the path of the card; nil until they have been read from the disk.
    private let edits = Mutex<[String: CardEdit]?>(nil)

    init(_ queue: CardEditQueue) { self.queue = queue }

    /// The edits, by the path of the card.
    func all() async throws -> [String: CardEdit] {
        if let edits = edits.withLock({ $0 }) { return edits }
        let stored = try await queue.edits()
        return edits.withLock { edits in
            let read = edits ?? Dictionary(stored.map { ($0.path, $0) }) { _, last in last }
            edits = read
            return read
        }
    }

    /// Stores an edit, merged with a waiting one of the same card.
    ///
    /// - Returns: The edit; nil if there is nothing to send.
    func store(_ new: CardEdit) async throws -> CardEdit? {
        try await changing.withLock {
            let waiting = try await all()[new.path]
            let edit = try new.following(waiting)
            // If an edit was sent before it was undone, the server may have it.
            if edit.isUndone, edit.attempted == nil {
                if let waiting { try await remove(waiting) }
                return nil
            }
            let stored = try await queue.keep(edit)
            edits.withLock { $0?[stored.path] = stored }
            return stored
        }
    }

    /// The edit of a card; nil if there is none. A refused edit waits again.
    func renewed(_ path: String) async throws -> CardEdit? {
        try await changing.withLock {
            guard var edit = try await all()[path] else { return nil }
            if edit.refusal != nil {
                edit.refusal = nil
                try await update(edit)
            }
            return edit
        }
    }

    /// Notes that an edit is about to be sent in this form.
    ///
    /// - Returns: False if the card was edited again, or the edit undone, in the meantime.
    func attempt(_ edit: CardEdit) async throws -> Bool {
        try await changing.withLock {
            guard try await isPresent(edit) else { return false }
            try await update(edit)
            return true
        }
    }

    /// Moves the edit at a path to the address to which another program has moved its card.
    ///
    /// - Returns: The moved edit; nil if it was undone in the meantime.
    /// - Throws: ``KithError`` with `busy` if there is an edit of the card at the new address.
    func move(_ path: String, to place: (book: String, path: String)) async throws -> CardEdit? {
        try await changing.withLock {
            let all = try await all()
            guard let edit = all[path] else { return nil }
            guard all[place.path] == nil else {
                throw KithError(.busy, "The card has moved, and another edit of it waits at its new address.")
            }
            try await queue.move(edit, to: place)
            var moved = edit
            (moved.book, moved.path) = place
            edits.withLock { edits in
                edits?[path] = nil
                edits?[place.path] = moved
            }
            return moved
        }
    }

    /// Removes an edit that was sent, and stores the server's card; nil if the card was removed there.
    ///
    /// A later edit of the same card continues from the server's card.
    func finish(_ edit: CardEdit, _ card: CardCache.StoredCard?) async throws {
        try await changing.withLock {
            var later = try await all()[edit.path]
            if later?.ordinal == edit.ordinal { later = nil }
            if let card, let sent = edit.edited {
                later = later?.continued(from: sent, to: (try? VCard(card.bytes)) ?? sent)
            }
            try await queue.finish(edit, card, updating: later)
            edits.withLock { $0?[edit.path] = later }
        }
    }

    /// Notes why the server did not take an edit now.
    func note(_ failure: String?, of edit: CardEdit) {
        edits.withLock { edits in
            let path = edits?.values.first { $0.ordinal == edit.ordinal }?.path
            if let path { edits?[path]?.failure = failure }
        }
    }

    /// Forgets the edit of a card.
    func discard(_ path: String) async throws {
        try await changing.withLock {
            if let edit = try await all()[path] { try await remove(edit) }
        }
    }

    /// Notes that the app is told that the edit of a card is saved.
    func report(_ path: String) { edits.withLock { $0?[path]?.isReported = true } }

    /// Keeps an edit that the server has refused, unless the card was edited again. It shows as a fault until the card is
    /// edited again. If `isThrown`, the app learns of the refusal now, so the edit is kept only if it was reported as saved.
    func refuse(_ edit: CardEdit, _ error: KithError, isThrown: Bool = false) async throws {
        try await changing.withLock {
            // It may have moved to another path.
            guard var refused = try await all().values.first(where: { $0.ordinal == edit.ordinal }) else { return }
            if isThrown, !refused.isReported { return try await remove(refused) }
            refused.refusal = refused.sentence(refusedBy: error)
            try await update(refused)
        }
    }

    /// Whether no later edit of the card has been stored.
    private func isPresent(_ edit: CardEdit) async throws -> Bool {
        try await all()[edit.path]?.ordinal == edit.ordinal
    }

    private func update(_ edit: CardEdit) async throws {
        try await queue.update(edit)
        edits.withLock { $0?[edit.path] = edit }
    }

    private func remove(_ edit: CardEdit) async throws {
        try await queue.remove(edit)
        edits.withLock { $0?[edit.path] = nil }
    }
}
