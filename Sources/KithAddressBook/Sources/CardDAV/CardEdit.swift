import Kith
import KithCards

/// An edit of an account's card that the server does not have yet.
struct CardEdit: Hashable, Sendable {
    /// Edits are sent in this order. A later edit of the same card has another one.
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

    /// This edit, or the two of them as one if an edit of the same card waits already.
    ///
    /// - Throws: ``KithError`` with `conflict` if the waiting edit was made since the card was read, and undoes this one.
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
