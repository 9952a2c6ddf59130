import Kith
public import KithCards

/// A source of contacts: a file, a folder, an account, the device's own address book.
///
/// A source reads and adds cards, and reports changes. The address book does the rest: it loads the sources one at a
/// time, links their cards, and stores the results.
public protocol AddressBookSource: Sendable {
    /// Reads every card there is. Not called again before it has returned.
    ///
    /// A card that cannot be read becomes one of the faults; the others are read. A source may return remembered cards
    /// for those that have not changed.
    ///
    /// - Throws: `KithError`: `notFound`, `denied`, `offline`, `unauthorized`, `unreadable` …; `CancellationError`.
    func load(_ progress: LoadProgress) async throws -> SourceContents

    /// The content of the last load, if the source has a copy of it on the device; nil if not.
    ///
    /// An account has such a copy. It is shown at once, also without a network.
    func cached() async throws -> SourceContents?

    /// One element each time that the cards may have changed since the call. It ends only when nobody listens any more.
    ///
    /// Changes that follow each other closely, or that nobody has read yet, are one element.
    func changes() -> AsyncStream<Void>

    /// Reads a card again, as its program wrote it: for its photo, or to export it.
    ///
    /// - Throws: `KithError` with `notFound` if it is gone.
    func vCard(_ reference: CardReference) async throws -> VCard

    /// Adds cards, and returns when they are stored. A card is left out, and has no reference in the result, if the
    /// source has one with the same uid and name; or, for a card without a uid, an equal one.
    ///
    /// - Throws: `KithError`: `forbidden` if the source cannot be written; `refused` if a card cannot be in it …
    func add(_ cards: [VCard]) async throws -> [CardReference]

    /// Writes an edited card back, changing only the bytes of the properties that were edited.
    ///
    /// What another program has changed in the card since it was read is kept. The card is stored whole or not at all.
    ///
    /// - Parameters:
    ///   - edited: The card with the edit.
    ///   - original: The card as it was read, before the edit.
    ///   - reference: The reference under which it was read.
    /// - Returns: The card's reference from now on, and whether the edit waits for the network.
    /// - Throws: `KithError`: `conflict`, caused by a ``CardConflict``, if another program has changed the same
    ///   properties; `notFound` if the card is gone; `forbidden` if the source cannot be written …
    func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard

    /// Removes a card.
    ///
    /// - Parameters:
    ///   - original: The card as it was read.
    ///   - reference: The reference under which it was read.
    /// - Returns: Whether the removal is done; if not, it waits for the network.
    /// - Throws: As ``save(_:editedFrom:as:)``; `conflict` if the card was changed since it was read.
    func remove(_ original: VCard, as reference: CardReference) async throws -> Bool
}

extension AddressBookSource {
    /// nil: most sources are on the device, so they need no copy.
    public func cached() async throws -> SourceContents? { nil }

    /// Throws `forbidden`: cards can be edited only where a source implements it.
    public func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        throw KithError(.forbidden, "Cards of this source cannot be edited.")
    }

    /// Throws `forbidden`: cards can be removed only where a source implements it.
    public func remove(_ original: VCard, as reference: CardReference) async throws -> Bool {
        throw KithError(.forbidden, "Cards of this source cannot be removed.")
    }
}
