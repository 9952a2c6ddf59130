import KithModel

/// What one file of a folder, or one address of an account, holds: a card as a rule.
struct CardHolding: Sendable {
    let entries: [SourceContents.Entry]
    private let keys: [CardKey]
    let faults: [VCardFault]

    /// - Parameters:
    ///   - batches: What was cut from it.
    ///   - reference: What the source calls it, and so its card.
    ///   - separator: Leads from there to one of several cards. No reference has it.
    ///   - name: What people call it.
    init(_ batches: [CardBatch], reference: String, separator: String, name: String) {
        let cards = batches.flatMap { $0.understood() }
        let faults = batches.flatMap(\.faults)
        var names = CardNames()
        entries = cards.map { card in
            let own = cards.count == 1 ? reference : reference + separator + names.name(card.key)
            return SourceContents.Entry(reference: CardReference(own), card: card.card)
        }
        keys = cards.map(\.key)
        if cards.isEmpty && faults.isEmpty {
            self.faults = [VCardFault(line: 1, "There is no card here: one begins with BEGIN:VCARD.", in: name)]
        } else {
            self.faults = faults.map { VCardFault(line: $0.line, $0.sentence, bytes: $0.bytes, in: name) }
        }
    }

    var likenesses: some Sequence<CardLikeness> { zip(keys, entries).lazy.map { CardLikeness($0, $1.card) } }

    /// What cannot be read at all.
    init(_ fault: VCardFault) { (entries, keys, faults) = ([], [], [fault]) }
}

extension VCardFault {
    /// A fault, with the name of where it is.
    init(line: Int, _ sentence: String, bytes: [UInt8] = [], in name: String) {
        self.init(line: line, "“\(name)”: \(sentence)", bytes: bytes)
    }
}
