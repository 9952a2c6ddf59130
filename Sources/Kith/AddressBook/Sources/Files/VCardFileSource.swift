package import Foundation
package import KithModel
import Synchronization

/// A file of vCards, as programs export them; of any size.
///
/// A card is known by its uid, else by what it says. The file is read again only when it has changed.
package final class VCardFileSource: AddressBookSource {
    let path: String
    private let now: @Sendable () -> Date
    private let last = Mutex<FileReading?>(nil)

    /// How often something is tried while other programs change the file.
    static let attempts = 5

    /// The source in the file at `url`, which need not be there yet.
    package init(_ url: URL, now: @escaping @Sendable () -> Date = { Date() }) {
        (path, self.now) = (url.standardizedFileURL.path, now)
    }

    /// Reads the file; progress is in bytes.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await read(progress).contents
    }

    package func changes() -> AsyncStream<Void> { PathWatch(path: path, isFolder: false).changes() }

    /// Reads only that card's bytes, where they were when the file was read.
    package func vCard(_ reference: CardReference) async throws -> VCard {
        for _ in 0..<Self.attempts {
            let reading = try await read(evenIfUnsettled: false)
            guard let place = reading.places[reference] else { throw KithError(gone: reference, from: path) }
            if let vCard = try reading.vCard(at: place, of: path) { return vCard }
            last.withLock { $0 = nil }
        }
        throw KithError(.busy, "\(path) changes faster than it can be read. Try again.")
    }

    /// What is in the file: read, or remembered where it has not changed. What may have changed without looking
    /// different is read again if asked for.
    @concurrent
    func read(_ progress: LoadProgress = .unheard, evenIfUnsettled: Bool = true) async throws -> FileReading {
        do {
            let file = try ReadableFile(path)
            if let last = last.withLock({ $0 }), last.file == file.identity, last.isSettled || !evenIfUnsettled {
                return last
            }
            let reading = try await FileReading(file, at: now(), progress)
            last.withLock { $0 = reading }
            return reading
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }
}

/// What was read of a file of vCards.
struct FileReading: Sendable {
    /// The file that it was.
    let file: FileIdentity
    /// Whether the file is sure to look different when it has changed.
    let isSettled: Bool
    let contents: SourceContents
    let names: CardNames
    /// Where each card's bytes are in the file.
    let places: [CardReference: Range<Int>]

    /// How many batches are at hand at once, for each core.
    private static let batchesPerCore = 2

    /// Cuts the file into cards in order, and understands them on as many cores as there are.
    init(_ file: consuming ReadableFile, at now: Date, _ progress: LoadProgress) async throws {
        self.file = file.identity
        isSettled = file.identity.isSettled(at: now)
        let size = file.identity.size
        let most = ProcessInfo.processInfo.activeProcessorCount * Self.batchesPerCore
        var batches = CardBatches(file)
        var faults: [VCardFault] = []
        let cards = try await withThrowingTaskGroup(of: (Int, [ReadCard]).self) { group in
            var understood: [[ReadCard]] = []
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
                group.addTask { (index, batch.understood()) }
                faults += batch.faults
                progress.report(batch.end, of: max(batch.end, size))
            }
            for try await (index, cards) in group { understood[index] = cards }
            return understood
        }
        var names = CardNames()
        let count = cards.reduce(0) { $0 + $1.count }
        var entries: [SourceContents.Entry] = []
        var places: [CardReference: Range<Int>] = [:]
        entries.reserveCapacity(count)
        places.reserveCapacity(count)
        for card in cards.joined() {
            let reference = CardReference(names.name(card.key))
            entries.append(SourceContents.Entry(reference: reference, card: card.card))
            places[reference] = card.place
        }
        contents = SourceContents(entries: entries, faults: faults)
        self.names = names
        self.places = places
    }

    /// The card at a place; nil if the file is not the one that was read.
    func vCard(at place: Range<Int>, of path: String) throws -> VCard? {
        do {
            let now = try ReadableFile(path)
            guard now.identity == file, let vCard = try? VCard(now.bytes(place)) else { return nil }
            // Where the file may have changed without looking different, the card itself tells.
            return names.contains(CardKey(vCard, uid: Card(vCard).uid)) ? vCard : nil
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }
}

extension KithError {
    /// There is no such card (any more).
    init(gone reference: CardReference, from source: String) {
        self.init(.notFound, "The card “\(reference.name)” is no longer in \(source).")
    }
}
