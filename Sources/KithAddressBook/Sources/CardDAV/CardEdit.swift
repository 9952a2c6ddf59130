import Kith
import KithCards

/// An edit of an account's card that has not reached the server.
struct CardEdit: Hashable, Sendable {
    /// Edits are sent in this order. A later edit of the same card has its own ordinal.
    var ordinal: Int64 = 0
    /// The path of the card's address book.
    let book: String
    /// The path of the card.
    let path: String
    /// The card as it was read, before the edit.
    var original: VCard
    /// The card with the edit; nil to remove it.
    var edited: VCard?
    /// Why the server did not take the edit; nil while it waits to be sent.
    var refusal: String?

    var reference: CardReference { CardReference(path) }

    /// This edit, merged with a waiting edit of the same card if there is one.
    ///
    /// - Throws: ``KithError`` with `conflict` if the waiting edit was made after the card was read and touches the
    ///   same properties; `notFound` if it removes the card.
    func following(_ waiting: CardEdit?) throws -> CardEdit {
        guard let waiting, waiting.refusal == nil else { return self }
        guard let present = waiting.edited else { throw KithError(gone: reference, from: "the account") }
        var both = self
        both.original = waiting.original
        if let edited {
            both.edited = try present.taking(edited, editedFrom: original)
        } else {
            try present.checkUnchanged(since: original)
        }
        return both
    }
}
