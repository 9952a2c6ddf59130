import Foundation
import Kith
package import KithCards

extension CardDAVSource {
    /// Puts each card into the account's first address book, in UTF-8 and with a uid, under an address of its own that is
    /// made of the uid.
    ///
    /// A card that is refused stops no other. One whose uid a card of another name has is: a server takes a uid once
    /// (RFC 6352, section 5.1).
    ///
    /// - Throws: ``KithError`` that says how many cards were added all the same, which was refused, and why.
    package func add(_ cards: [VCard]) async throws -> [CardReference] {
        try await lock.withLock {
            _ = try await contents(.unheard)
            let (home, books) = try await reach()
            let place = home.collections[0].at(path: books[0].path)
            var known = try await Set(localBooks().values.lazy.flatMap(\.cards.values).flatMap(\.holding.likenesses))
            var keys = Set(known.lazy.map(\.key))
            var addition = Addition(count: cards.count)
            for card in cards {
                do {
                    let own = CardLikeness(card)
                    let new = try AccountCard(card)
                    // One that another program has put there may still lack a uid.
                    guard known.insert(new.likeness).inserted, own == new.likeness || known.insert(own).inserted
                    else { continue }
                    guard keys.insert(new.likeness.key).inserted else {
                        throw KithError(
                            .refused,
                            "Another card of the account has the same uid and another name. Give it a UID of its own.")
                    }
                    if let path = try await put(new, in: place) { addition.added.append(CardReference(path)) }
                } catch let error as KithError {
                    addition.refusals.append((card, error))
                    guard DAVConnection.isOfOneResource(error) || error.code == .invalid else { break }
                }
            }
            if let error = addition.error { throw error }
            return addition.added
        }
    }

    /// How many names are tried for a card.
    private static let names = 5

    /// - Returns: The new card's path; nil if another program has added this card in the meantime.
    private func put(_ card: AccountCard, in book: URL) async throws -> String? {
        for attempt in 1...Self.names {
            let path = book.appending(path: card.likeness.key.fileName(attempt: attempt)).canonicalPath
            if try await account.put(card.vCard.bytes, at: path, in: book) { return path }
            // Another card's uid may be this one's, or only its name.
            guard let bytes = try await account.card(at: path, in: book).bytes else {
                throw KithError(.refused, "The server has another card with this uid, or does not take this one.")
            }
            if CardHolding(CardBatch(bytes), at: path).likenesses.contains(card.likeness) { return nil }
        }
        throw KithError(.invalid, "Other cards have every name that it could have on the server.")
    }
}

/// What has become of cards that are being added.
private struct Addition {
    /// How many were to be added.
    let count: Int
    var added: [CardReference] = []
    var refusals: [(card: VCard, error: KithError)] = []

    /// One error for all that went wrong; nil if nothing did.
    var error: KithError? {
        guard let (card, error) = refusals.first else { return nil }
        let named = Card(card)
        let name = CardLikeness.name(of: named) ?? named.uid ?? "a card without a name"
        var sentence = "“\(name)” was not added: \(error.sentence)"
        if count > 1 { sentence = "\(added.count) of \(count) cards were added. \(sentence)" }
        if refusals.count > 1 { sentence += " Nor were \(refusals.count - 1) others." }
        return KithError(error.code, sentence, retryAfter: error.retryAfter, cause: error.cause)
    }
}
