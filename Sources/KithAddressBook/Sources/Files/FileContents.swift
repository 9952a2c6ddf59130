import Foundation
import Kith
import KithCards

/// What was read of a file of vCards.
struct FileContents: Sendable {
    /// The file that it was.
    let file: FileIdentity
    /// Whether the file is sure to look different when it has changed.
    let isSettled: Bool
    let contents: SourceContents
    /// Which of the cards, in the order of the contents, a reference leads to.
    private let places: EntryIndex
    /// What tells each card apart, where its bytes are in the file, and what tells them from others.
    let spots: [(key: CardKey, place: Range<Int>, print: CardPrint)]

    /// How many batches are at hand at once, for each core.
    private static let batchesPerCore = 2

    /// Cuts the file into cards in order, and understands those that are new since the last reading, on as many cores as
    /// there are.
    init(_ file: consuming ReadableFile, after last: FileContents?, at now: Date, _ progress: LoadProgress) async throws
    {
        let former = FormerCards(last)
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
        let names = CardNames.of(cards.joined().map { CardLikeness($0.key, $0.card) })
        var entries: [SourceContents.Entry] = []
        var spots: [(key: CardKey, place: Range<Int>, print: CardPrint)] = []
        entries.reserveCapacity(names.count)
        spots.reserveCapacity(names.count)
        for (name, card) in zip(names, cards.joined()) {
            entries.append(SourceContents.Entry(reference: CardReference(name), card: card.card))
            spots.append((card.key, card.place, card.print))
        }
        // An empty file is where cards are to be added.
        if names.isEmpty, faults.isEmpty, size > 0 { faults.append(.noCard) }
        contents = SourceContents(entries: entries, faults: faults)
        places = EntryIndex(entries)
        self.spots = spots
    }

    /// Which of the cards a reference leads to; nil if it is none of these.
    func index(of reference: CardReference) -> Int? { places[reference] }

    /// What makes a card that is to be added one of these, in their order.
    var likenesses: [CardLikeness] { zip(spots, contents.entries).map { CardLikeness($0.key, $1.card) } }

    /// Where the last card begins; 0 if there is none.
    var startOfLast: Int { spots.last?.place.lowerBound ?? 0 }

    /// The card of this number; nil if the file is not the one that was read.
    func vCard(_ index: Int, of path: String) throws -> VCard? {
        do {
            let now = try ReadableFile(path)
            guard now.identity == file, let vCard = try? VCard(now.bytes(spots[index].place)) else { return nil }
            // Where the file may have changed without looking different, the card itself tells.
            return CardKey(vCard, uid: Card(vCard).uid) == spots[index].key ? vCard : nil
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }
}

/// Where the cards of a file are among its contents: made when the first is looked for, which few files live to see.
private final class EntryIndex: Sendable {
    private let entries: [SourceContents.Entry]
    private let made = Once<[CardReference: Int]>()

    init(_ entries: [SourceContents.Entry]) { self.entries = entries }

    subscript(reference: CardReference) -> Int? {
        made { Dictionary(uniqueKeysWithValues: zip(entries.lazy.map(\.reference), entries.indices)) }[reference]
    }
}
