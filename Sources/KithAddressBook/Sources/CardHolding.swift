import KithCards

/// What one file of a folder, or one address of an account, holds: a card as a rule.
struct CardHolding: Sendable {
    let entries: [SourceContents.Entry]
    /// What tells each card apart, and where its bytes are in what it was read from.
    private let spots: [(key: CardKey, place: Range<Int>)]
    /// Where each of several cards is among the entries. Of one there is no need to look it up.
    private let places: [CardReference: Int]
    let faults: SourceFaults

    /// - Parameters:
    ///   - batches: What was cut from it.
    ///   - reference: What the source calls it, and so its card.
    ///   - separator: Leads from there to one of several cards. No reference has it.
    ///   - name: What people call it.
    init(_ batches: [CardBatch], reference: String, separator: String, name: String) {
        let cards = batches.flatMap { $0.understood() }
        let faults = batches.reduce(into: SourceFaults()) { $0.append($1.faults) }
        let names =
            cards.count == 1
            ? [reference]
            : CardNames.of(cards.map { CardLikeness($0.key, $0.card) }).map { reference + separator + $0 }
        let entries = zip(names, cards).map { SourceContents.Entry(reference: CardReference($0), card: $1.card) }
        self.entries = entries
        spots = cards.map { ($0.key, $0.place) }
        places =
            cards.count == 1 ? [:] : Dictionary(zip(entries.map(\.reference), entries.indices)) { first, _ in first }
        if cards.isEmpty && faults.isEmpty {
            self.faults = SourceFaults([SourceFault.noCard]).named(name)
        } else {
            self.faults = faults.named(name)
        }
    }

    /// Where a card is among the entries; nil if it is not here.
    func index(of reference: CardReference) -> Int? {
        entries.count == 1 ? (entries[0].reference == reference ? 0 : nil) : places[reference]
    }

    /// The card at an index, of the file that this was read from; nil if it is no longer where it was.
    func vCard(_ index: Int, in file: borrowing ReadableFile) throws -> VCard? {
        guard let vCard = try? VCard(file.bytes(spots[index].place)) else { return nil }
        // Where the file may have changed without looking different, the card itself tells.
        return CardKey(vCard, uid: Card(vCard).uid) == spots[index].key ? vCard : nil
    }

    var likenesses: some Sequence<CardLikeness> {
        zip(spots.map(\.key), entries).lazy.map { CardLikeness($0, $1.card) }
    }

    /// What cannot be read at all.
    init(_ fault: SourceFault) { (entries, spots, places, faults) = ([], [], [:], [fault]) }
}

extension SourceFault {
    /// Something has no card in it at all.
    static let noCard = SourceFault(line: 1, "There is no card here: one begins with BEGIN:VCARD.")
}
