import Foundation
import Kith
import KithCards

/// Sends one edit of a card, merged with the changes that another program has made since the card was read.
///
/// If the card is edited again before the request, it sends the later edit, which contains this one. It is safe to repeat
/// if the answer was lost: a change that the server already has is not made again.
///
///     look ──ready──▶ put ──taken──▶ sent
///     look ──done───────────────────▶ sent
///     look ──moved──▶ look
///                     put ──changed, or edited again──▶ look
///
/// The first look is left out if the device's copy, to which the edit was made, has a tag.
struct EditSender {
    /// When an edit is sent.
    enum Occasion {
        /// When it is made. It is an error if the card is gone.
        case made
        /// After it has waited. A card that is gone from its address is looked for at others, and put back if it was
        /// removed.
        case waited
    }

    /// A sent edit.
    struct Sent {
        let edit: CardEdit
        /// The card that the account has now; nil if it has none.
        let card: VCard?
        let book: URL
    }

    /// What a look at the account shows.
    private enum Look {
        /// The edit as it is to be sent.
        case ready(CardEdit)
        /// The account has this card, or none, as the edit wants it.
        case done(VCard?)
        /// The edit at the card's new address; nil if it was undone in the meantime.
        case moved(CardEdit?)
    }

    /// How often an edit is merged with changes that other programs make in the meantime.
    private static let attempts = 5

    private let source: CardDAVSource
    private let occasion: Occasion
    private var edit: CardEdit
    /// The tag of the account's card, to which the edit has been made; nil if the account has to be asked for it.
    private var tag: String?
    /// Whether the server did not take the card although there was none at its address.
    private var isPutRefused = false

    init(_ edit: CardEdit, to source: CardDAVSource, _ occasion: Occasion) {
        (self.edit, self.source, self.occasion) = (edit, source, occasion)
    }

    /// Sends the edit.
    ///
    /// - Returns: The edit in the form that was sent; nil if it was undone in the meantime.
    /// - Throws: ``KithError``: `conflict` if another program has changed the same properties; `notFound` if the card
    ///   is gone and is not put back.
    mutating func send() async throws -> Sent? {
        tag = try await cachedTag()
        for _ in 0..<Self.attempts {
            let book = try await source.home().collections[0].at(path: edit.book)
            var next = edit
            if tag == nil {
                switch try await look(in: book) {
                case .ready(let ready): next = ready
                case .done(let card): return Sent(edit: edit, card: card, book: book)
                case .moved(nil): return nil
                case .moved(let moved?):
                    edit = moved
                    continue
                }
            }
            next.attempted = next.edited.map { source.form(of: $0) }
            guard try await source.edits.attempt(next) else {
                guard let later = try await source.edits.edit(of: edit.path) else { return nil }
                (edit, tag) = (later, nil)
                continue
            }
            edit = next
            if try await put(in: book) { return Sent(edit: edit, card: edit.attempted, book: book) }
            (isPutRefused, tag) = (tag == nil, nil)
        }
        throw KithError(.busy, "Other programs keep changing the card. The edit is sent again later.")
    }

    /// The tag of the device's copy, if the edit was made to that version.
    private func cachedTag() async throws -> String? {
        // The server may have what was sent before, so its card is requested first.
        guard edit.attempted == nil, let cached = try await source.cache.card(edit.path), cached.hasTag else {
            return nil
        }
        return cached.bytes == edit.original.bytes ? cached.etag : nil
    }

    /// Asks for the account's card, and makes the edit to it.
    private mutating func look(in book: URL) async throws -> Look {
        guard let present = try await source.account.current(at: edit.path, in: book) else {
            return try await lookElsewhere()
        }
        guard let card = try? VCard(present.bytes) else {
            throw KithError(.refused, "The account's card can no longer be read, so it was not written.")
        }
        let rebased = try edit.rebased(onto: card)
        if rebased.isUndone { return .done(card) }
        tag = present.etag
        return .ready(rebased)
    }

    /// Looks for a card that is gone from its address.
    private func lookElsewhere() async throws -> Look {
        if edit.edited == nil || edit.isUndone { return .done(nil) }
        guard occasion == .waited else { throw source.gone(edit.reference) }
        if let place = try await source.newPlace(of: edit) {
            return .moved(try await source.edits.move(edit.path, to: place))
        }
        if isPutRefused { throw CardDAVSource.notTaken }
        return .ready(edit)
    }

    /// Puts the edited card, or removes it.
    ///
    /// - Returns: False if the card was changed in the meantime, or one was there already.
    private func put(in book: URL) async throws -> Bool {
        let account = source.account
        guard let edited = edit.attempted else { return try await account.delete(tag ?? "", at: edit.path, in: book) }
        guard let tag else { return try await account.put(edited.bytes, at: edit.path, in: book) }
        return try await account.replace(tag, by: edited.bytes, at: edit.path, in: book)
    }
}
