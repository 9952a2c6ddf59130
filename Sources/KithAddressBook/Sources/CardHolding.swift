import KithCards

/// The cards in one file of a folder, or at one address of an account: usually one.
struct CardHolding: Sendable {
    let entries: [SourceContents.Entry]
    /// The key of each card, and the range of its bytes.
    private let spots: [(key: CardKey, place: Range<Int>)]
    /// The index of each card in the entries; empty if there is only one card.
    private let places: [CardReference: Int]
    let faults: SourceFaults

    /// - Parameters:
    ///   - batches: The cards of the file.
    ///   - reference: The reference of the file, and of its only card.
    ///   - separator: Separates the file's reference from a card's key. No reference contains it.
    ///   - name: The name to show.
    init(_ batches: [CardBatch], reference: String, separator: String, name: String) {
        let cards = batches.flatMap { $0.understood() }
        let faults = batches.reduce(into: SourceFaults()) { $0.append($1.faults) }
        let names =
            cards.count == 1
            ? [reference]
            : CardNames.of(cards.map { CardSimilarity($0.key, $0.card) }).map { reference + separator + $0 }
        let entries = zip(names, cards).map { SourceContents.Entry(reference: CardReference($0), $1) }
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

    /// The index of a card; nil if it is not here.
    func index(of reference: CardReference) -> Int? {
        entries.count == 1 ? (entries[0].reference == reference ? 0 : nil) : places[reference]
    }

    /// The card at an index, in the bytes that the same file has at its place; nil if it has moved.
    func vCard(_ index: Int, from bytes: [UInt8]) -> VCard? {
        guard let vCard = try? VCard(bytes) else { return nil }
        // The file may have changed although its identity looks the same, so the key of the card is checked.
        return CardKey(vCard, uid: Card(vCard).uid) == spots[index].key ? vCard : nil
    }

    /// The range of the bytes of the card at an index.
    func place(of index: Int) -> Range<Int> { spots[index].place }

    /// The cards, with what decides whether a card to be added is already there.
    var versions: [(similarity: CardSimilarity, card: Card)] {
        zip(spots, entries).map { (similarity: CardSimilarity($0.key, $1.card), card: $1.card) }
    }

    /// A file or an address that cannot be read at all.
    init(_ fault: SourceFault) { (entries, spots, places, faults) = ([], [], [:], [fault]) }
}

extension SourceFault {
    /// The file or the resource contains no card.
    static let noCard = SourceFault(line: 1, "There is no card here: one begins with BEGIN:VCARD.")
}
