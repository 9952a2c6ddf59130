import KithCards

/// A card that was read, and where.
struct ReadCard: Sendable {
    let key: CardKey
    let card: Card
    /// Offsets of its bytes in what it was read from.
    let place: Range<Int>
    let print: CardPrint

    var likeness: CardLikeness { CardLikeness(key, card) }
}

/// A stretch of vCards, cut apart but not yet understood.
///
/// Cutting goes in order; understanding can be done on several cores at once.
struct CardBatch: Sendable {
    private(set) var vCards: [(vCard: VCard, place: Range<Int>)] = []
    private(set) var faults: SourceFaults = []
    /// How far what it was cut from is read.
    private(set) var end: Int

    /// Everything in bytes that are at hand.
    init(_ bytes: [UInt8]) {
        var reader = VCardReader()
        self.init(startingAt: 0)
        reader.feed(bytes) { add($0) }
        reader.finish { add($0) }
    }

    fileprivate init(startingAt start: Int) { end = start }

    fileprivate mutating func add(_ element: VCardReader.Element) {
        let place = end..<end + element.bytes.count
        end = place.upperBound
        switch element {
        case .card(let vCard): vCards.append((vCard, place))
        case .fault(let fault): faults.append(SourceFault(line: fault.line, fault.sentence))
        case .between: break
        }
    }

    /// The cards, understood; those that a former reading understood are taken over from it.
    func understood(after former: FormerCards = FormerCards()) -> [ReadCard] {
        vCards.map { vCard, place in
            let print = CardPrint(vCard.bytes)
            if let (key, card) = former.card(print) {
                return ReadCard(key: key, card: card, place: place, print: print)
            }
            let card = Card(vCard)
            return ReadCard(key: CardKey(vCard, uid: card.uid), card: card, place: place, print: print)
        }
    }
}

/// The batches of a file, one after the other.
struct CardBatches: ~Copyable {
    let file: ReadableFile
    private var reader = VCardReader()
    private var end = 0
    private var isFinished = false

    /// How many bytes are read at once.
    private static let piece = 1 << 20

    init(_ file: consuming ReadableFile) { self.file = file }

    /// The next batch; nil after the last.
    mutating func next() throws -> CardBatch? {
        guard !isFinished else { return nil }
        var batch = CardBatch(startingAt: end)
        let bytes = try file.read(Self.piece)
        if bytes.isEmpty {
            reader.finish { batch.add($0) }
            isFinished = true
        } else {
            reader.feed(bytes) { batch.add($0) }
        }
        end = batch.end
        return batch
    }
}
