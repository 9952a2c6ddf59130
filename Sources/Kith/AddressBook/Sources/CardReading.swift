import Foundation
import KithModel

/// A card that was read, and where.
struct ReadCard: Sendable {
    let key: CardKey
    let card: Card
    /// Offsets of its bytes in what it was read from.
    let place: Range<Int>
}

/// A stretch of vCards, cut apart but not yet understood.
///
/// Cutting goes in order; understanding can be done on several cores at once.
struct CardBatch: Sendable {
    private(set) var vCards: [(vCard: VCard, place: Range<Int>)] = []
    private(set) var faults: [VCardFault] = []
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
        case .fault(let fault): faults.append(fault)
        case .between: break
        }
    }

    func understood() -> [ReadCard] {
        vCards.map { vCard, place in
            let card = Card(vCard)
            return ReadCard(key: CardKey(vCard, uid: card.uid), card: card, place: place)
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

/// What one file of a folder, or one address of an account, holds: a card as a rule.
struct CardHolding: Sendable {
    let entries: [SourceContents.Entry]
    let keys: [CardKey]
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

    /// What cannot be read at all.
    init(_ fault: VCardFault) { (entries, keys, faults) = ([], [], [fault]) }
}

extension VCardFault {
    /// A fault, with the name of where it is.
    init(line: Int, _ sentence: String, bytes: [UInt8] = [], in name: String) {
        self.init(line: line, "“\(name)”: \(sentence)", bytes: bytes)
    }
}
