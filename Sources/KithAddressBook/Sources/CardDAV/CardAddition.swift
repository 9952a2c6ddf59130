import Kith
import KithCards

/// The results of adding cards to an account.
struct CardAddition {
    /// How many cards were to be added.
    let count: Int
    var added: [CardReference] = []
    /// The cards that the account has already.
    var left: [CardToAdd] = []
    private var refused: [UnaddedCards.Refused] = []
    /// What to report: the error that has stopped it, else the first refusal.
    private var failure: (name: String, error: KithError)?
    /// Whether an error concerns the account and not only one card, so that no other card can be added now.
    private(set) var isStopped = false

    init(count: Int) { self.count = count }

    /// Notes the error of a card.
    mutating func note(_ error: KithError, of vCard: VCard) {
        let card = Card(vCard)
        let name = CardSimilarity.name(of: card) ?? card.uid ?? "a card without a name"
        isStopped = !DAVConnection.isOfOneResource(error)
        if isStopped || failure == nil { failure = (name, error) }
        if !isStopped { refused.append(UnaddedCards.Refused(name: name, reason: error.sentence)) }
    }

    /// One error for everything that went wrong; nil if nothing did.
    func error(after added: AddedCards) -> KithError? {
        guard let (name, error) = failure else { return nil }
        var sentence = "“\(name)” was not added: \(error.sentence)"
        if count > 1 { sentence = "\(added.references.count) of \(count) cards were added. \(sentence)" }
        let others = refused.count - (isStopped ? 0 : 1)
        if others > 0 { sentence += " \(others == 1 ? "1 other was" : "\(others) others were") not added either." }
        return KithError(
            error.code, sentence, retryAfter: error.retryAfter,
            cause: UnaddedCards(added: added, refused: refused, isStopped: isStopped))
    }
}
