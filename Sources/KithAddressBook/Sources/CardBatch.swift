import KithCards

/// A batch of vCards that are split from their file but not parsed.
///
/// Splitting is sequential; parsing can use several cores.
struct CardBatch: Sendable {
    private(set) var vCards: [(vCard: VCard, place: Range<Int>)] = []
    private(set) var faults: SourceFaults = []
    /// The number of bytes of the file that were read.
    private(set) var end: Int

    /// All cards in these bytes.
    init(_ bytes: [UInt8]) {
        var reader = VCardReader()
        self.init(startingAt: 0)
        reader.feed(bytes) { add($0) }
        reader.finish { add($0) }
    }

    init(startingAt start: Int) { end = start }

    mutating func add(_ element: VCardReader.Element) {
        let place = end..<end + element.bytes.count
        end = place.upperBound
        switch element {
        case .card(let vCard): vCards.append((vCard, place))
        case .fault(let fault): faults.append(SourceFault(line: fault.line, fault.sentence))
        case .between: break
        }
    }

    /// The parsed cards. Unchanged cards from an earlier reading are reused.
    func understood(after former: PreviousCards = PreviousCards()) -> [ParsedCard] {
        vCards.map { vCard, place in
            let hash = CardHash(vCard.bytes)
            if let (key, entry) = former.card(hash) {
                return ParsedCard(
                    key: key, card: entry.card, alternatives: entry.alternatives, place: place, hash: hash)
            }
            var alternatives: [Card.Alternative] = []
            let card = Card(vCard, alternatives: &alternatives)
            return ParsedCard(
                key: CardKey(vCard, uid: card.uid), card: card, alternatives: alternatives, place: place, hash: hash)
        }
    }
}
