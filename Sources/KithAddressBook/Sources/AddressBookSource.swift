import Kith
public import KithCards

/// A source of contacts: a file, a folder, an account, the device's own address book.
///
/// A source reads and adds cards, and reports changes. The address book does the rest: it decides when to load a
/// source, links the cards of all sources, and stores the results.
public protocol AddressBookSource: Sendable {
    /// Reads all cards. It is not called again before it has returned.
    ///
    /// A card that cannot be read becomes a fault; the others are read. A source may return stored cards for those that
    /// have not changed.
    ///
    /// - Throws: `KithError`: `notFound`, `denied`, `offline`, `unauthorized`, `unreadable` …; `CancellationError`.
    func load(_ progress: LoadProgress) async throws -> SourceContents

    /// The content of the last load, if the source has a copy of it on the device; nil if not.
    ///
    /// An account has such a copy. It can be shown at once, also without a network.
    func cached() async throws -> SourceContents?

    /// Emits an element each time that the cards may have changed since the call. The stream ends only when its
    /// consumer stops listening.
    ///
    /// Changes in quick succession are combined into one element, and so are elements that have not been consumed yet.
    func changes() -> AsyncStream<Void>

    /// Reads a card again, byte for byte: for its photo, or to export it.
    ///
    /// - Throws: `KithError` with `notFound` if the card is gone.
    func vCard(_ reference: CardReference) async throws -> VCard

    /// Adds cards, and returns when they are stored. A card is left out, and has no reference in the result, if the
    /// source has one with the same uid and name, or, for a card without a uid, an equal one. If its content differs,
    /// the result names it.
    ///
    /// - Throws: `KithError`: `forbidden` if the source is read-only; `refused` if it cannot hold a card …
    func add(_ cards: [VCard]) async throws -> AddedCards

    /// Writes an edited card back, changing only the bytes of the properties that were edited.
    ///
    /// Changes that another program has made to other properties are kept. The card is written completely or not at
    /// all.
    ///
    /// - Parameters:
    ///   - edited: The card with the edit.
    ///   - original: The card as it was read, before the edit.
    ///   - reference: The reference under which it was read.
    /// - Returns: The card's new reference, and whether the edit waits for the network.
    /// - Throws: `KithError`: `conflict`, caused by a ``CardConflict``, if another program has changed the same
    ///   properties; `notFound` if the card is gone; `forbidden` if the source is read-only …
    func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard

    /// Removes a card.
    ///
    /// - Parameters:
    ///   - original: The card as it was read.
    ///   - reference: The reference under which it was read.
    /// - Returns: Whether the removal is done; if not, it waits for the network.
    /// - Throws: The errors of ``save(_:editedFrom:as:)``; `conflict` if the card has changed since it was read.
    func remove(_ original: VCard, as reference: CardReference) async throws -> Bool
}

extension AddressBookSource {
    /// nil: most sources are on the device, so they need no copy.
    public func cached() async throws -> SourceContents? { nil }

    /// Throws `forbidden`. A source that can edit cards implements this method.
    public func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        throw KithError(.forbidden, "Cards of this source cannot be edited.")
    }

    /// Throws `forbidden`. A source that can remove cards implements this method.
    public func remove(_ original: VCard, as reference: CardReference) async throws -> Bool {
        throw KithError(.forbidden, "Cards of this source cannot be removed.")
    }
}
