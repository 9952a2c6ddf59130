import Kith
import KithCards

/// An edit of an account's card that has not reached the server.
struct CardEdit: Hashable, Sendable {
    /// Edits are sent in this order. A later edit of the same card has its own ordinal.
    var ordinal: Int64 = 0
    /// The path of the card's address book.
    var book: String
    /// The path of the card.
    var path: String
    /// The card before the edit: as it was read, or as the server had it when the edit was last sent.
    var original: VCard
    /// The card with the edit; nil to remove it.
    var edited: VCard?
    /// The card that was last sent, which the server may have although its answer was lost; nil if none was sent.
    var attempted: VCard?
    /// Why the server did not take the edit; nil while it waits to be sent.
    var refusal: String?
    /// Whether the app was told that the edit, or an earlier one that it contains, is saved.
    var isReported = false
    /// Why the server did not take the edit at the last attempt; nil if it was not asked. Not stored.
    var failure: String?

    var reference: CardReference { CardReference(path) }

    /// The edit, for apps.
    var unsent: UnsentEdit {
        UnsentEdit(reference: reference, name: name, isRefused: refusal != nil, reason: refusal ?? failure)
    }

    private var name: String? { CardSimilarity.name(of: Card(edited ?? original)) }

    /// The fault to show for the edit; nil if the server has not been asked.
    func fault(in place: String) -> SourceFault? {
        guard let sentence = refusal ?? failure.map({ "\(subject) is not sent yet. \($0)" }) else { return nil }
        return SourceFault(line: 1, sentence, in: place, editOf: reference)
    }

    /// The sentences to keep when the server refuses the edit. They contain what is lost otherwise.
    func sentence(refusedBy error: KithError) -> String {
        if error.cause is CardConflict { return error.sentence }
        let changes = original.properties(differingFrom: edited ?? original).map { property in
            let lines = [edited ?? original, original].map { CardConflict.lines(property, in: $0) }
            return " \(property) is \(lines[0]) here, and was \(lines[1])."
        }
        return "\(subject) was not accepted. \(error.sentence)" + changes.joined()
    }

    private var subject: String {
        "The \(edited == nil ? "removal" : "edit") of \(name.map { "“\($0)”" } ?? "a card without a name")"
    }

    /// Whether the edit has been undone, so that it changes nothing.
    var isUndone: Bool { edited == original }

    /// This edit, merged with a waiting edit of the same card if there is one.
    ///
    /// - Throws: ``KithError`` with `conflict` if the waiting edit was made after the card was read and touches the
    ///   same properties; `notFound` if it removes the card.
    func following(_ waiting: CardEdit?) throws -> CardEdit {
        guard let waiting, waiting.refusal == nil else { return self }
        guard let present = waiting.edited else { throw KithError(gone: reference, from: "the account") }
        var both = self
        (both.original, both.attempted, both.isReported) = (waiting.original, waiting.attempted, waiting.isReported)
        if let edited {
            both.edited = try present.taking(edited, editedFrom: original)
        } else {
            try present.checkUnchanged(since: original)
        }
        return both
    }

    /// This edit, made to the card that the server has now.
    ///
    /// - Throws: ``KithError`` with `conflict` if another program has changed the same properties.
    func rebased(onto present: VCard) throws -> CardEdit {
        let base = base(in: present)
        var rebased = self
        rebased.original = present
        if let edited {
            rebased.edited = try present.taking(edited, editedFrom: base)
        } else {
            try present.checkUnchanged(since: base)
        }
        return rebased
    }

    /// The version from which the edit is to be made again: the attempted one if the server has it.
    ///
    /// The server has it if sending it once more would change nothing. Other properties may have changed. If the server has
    /// cut its values at commas, the edit is made to what is left of them.
    private func base(in present: VCard) -> VCard {
        guard let attempted else { return original }
        if present.isCut(from: attempted), !original.isCut(from: attempted) { return present }
        return (try? present.taking(attempted, editedFrom: original)) == present ? attempted : original
    }

    /// Where another program has put the card: the place of the only card at an address that has its uid and name.
    ///
    /// - Throws: ``KithError`` with `refused` if another card of the book has the uid, because a book takes a uid once (RFC
    ///   6352, section 5.1).
    func newPlace(in books: some Sequence<LocalBook>) throws -> (book: String, path: String)? {
        let known = [original, attempted].compactMap { $0.map { CardSimilarity($0) } }
        var places: [(book: String, path: String)] = []
        var isUIDTaken = false
        for other in books {
            for (path, card) in other.cards where path != self.path {
                let versions = card.holding.versions
                if versions.count == 1, known.contains(versions[0].similarity) {
                    places.append((other.path, path))
                } else if other.path == book, versions.contains(where: { $0.similarity.key == known[0].key }) {
                    isUIDTaken = true
                }
            }
        }
        if places.isEmpty, isUIDTaken {
            throw KithError(.refused, "The card is gone, and another card of the account has its uid.")
        }
        return places.min { ($0.book == book ? 0 : 1, $0.path) < ($1.book == book ? 0 : 1, $1.path) }
    }

    /// This edit after an earlier one of the same card has been sent.
    ///
    /// `sent` is the card that was sent, which this edit contains. `present` is what the server has made of it.
    func continued(from sent: VCard, to present: VCard) -> CardEdit {
        var continued = self
        (continued.original, continued.attempted) = (present, nil)
        guard let edited else { return continued }
        do {
            continued.edited = try present.taking(edited, editedFrom: sent)
        } catch {
            // Sending it reports the conflict.
            continued.original = sent
        }
        return continued
    }
}
