import Foundation
import Kith
import KithCards

/// The content of a file of vCards.
struct FileContents: Sendable {
    /// The identity of the file when it was read.
    let file: FileIdentity
    /// Whether every later change of the file also changes its identity.
    let isSettled: Bool
    let contents: SourceContents
    /// The index of each reference in the contents.
    private let places: EntryIndex
    /// The key of each card, the range of its bytes in the file, and their hash.
    let spots: [(key: CardKey, place: Range<Int>, hash: CardHash)]

    /// How many batches may wait to be parsed, for each core.
    private static let batchesPerCore = 2

    /// Splits the file into cards in order, and parses those that are new since the last reading, on all cores.
    init(_ file: consuming ReadableFile, after last: FileContents?, at now: Date, _ progress: LoadProgress) async throws
    {
        let former = last.map { PreviousCards($0.contents.entries, $0.spots) } ?? PreviousCards()
        self.file = file.identity
        isSettled = file.identity.isSettled(at: now)
        let size = file.identity.size
        let most = ProcessInfo.processInfo.activeProcessorCount * Self.batchesPerCore
        var batches = CardBatches(file)
        var faults: SourceFaults = []
        let cards = try await withThrowingTaskGroup(of: (Int, [ParsedCard]).self) { group in
            var understood: [[ParsedCard]] = []
            var waiting = 0
            while let batch = try batches.next() {
                try Task.checkCancellation()
                if waiting == most, let (index, cards) = try await group.next() {
                    understood[index] = cards
                    waiting -= 1
                }
                let index = understood.count
                understood.append([])
                waiting += 1
                group.addTask { (index, batch.understood(after: former)) }
                faults.append(batch.faults)
                progress.report(batch.end, of: max(batch.end, size))
            }
            for try await (index, cards) in group { understood[index] = cards }
            return understood
        }
        let names = CardNames.of(cards.joined().map { CardSimilarity($0.key, $0.card) })
        var entries: [SourceContents.Entry] = []
        var spots: [(key: CardKey, place: Range<Int>, hash: CardHash)] = []
        entries.reserveCapacity(names.count)
        spots.reserveCapacity(names.count)
        for (name, card) in zip(names, cards.joined()) {
            entries.append(SourceContents.Entry(reference: CardReference(name), card))
            spots.append((card.key, card.place, card.hash))
        }
        // An empty file is not a fault: it is a place to add cards to.
        if names.isEmpty, faults.isEmpty, size > 0 { faults.append(.noCard) }
        contents = SourceContents(entries: entries, faults: faults)
        places = EntryIndex(entries)
        self.spots = spots
    }

    /// The index of the card with this reference; nil if there is none.
    func index(of reference: CardReference) -> Int? { places[reference] }

    /// Each card, in order, with the key and name that decide whether a card to be added is already there.
    var versions: [(similarity: CardSimilarity, card: Card)] {
        zip(spots, contents.entries).map { (similarity: CardSimilarity($0.key, $1.card), card: $1.card) }
    }

    /// The offset of the last card; 0 if there is none.
    var startOfLast: Int { spots.last?.place.lowerBound ?? 0 }

    /// The card at this index; nil if the file has changed since it was read.
    func vCard(_ index: Int, of path: String) throws -> VCard? {
        do {
            let now = try ReadableFile(path)
            guard now.identity == file, let vCard = try? VCard(now.bytes(spots[index].place)) else { return nil }
            // The file may have changed although its identity looks the same, so the key of the card is checked.
            return CardKey(vCard, uid: Card(vCard).uid) == spots[index].key ? vCard : nil
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }
}

/// The index of each reference in a file's contents. Built at the first lookup, because most readings are never
/// searched.
private final class EntryIndex: Sendable {
    private let entries: [SourceContents.Entry]
    private let made = Once<[CardReference: Int]>()

    init(_ entries: [SourceContents.Entry]) { self.entries = entries }

    subscript(reference: CardReference) -> Int? {
        made { Dictionary(uniqueKeysWithValues: zip(entries.lazy.map(\.reference), entries.indices)) }[reference]
    }
}
