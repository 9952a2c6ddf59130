package import Foundation
import Kith
package import KithCards
import Synchronization

/// A file of vCards of any size, as programs export them.
///
/// Cards are identified by their ``CardNames``. The file is read again only when it has changed.
package final class VCardFileSource: AddressBookSource {
    let path: String
    let now: @Sendable () -> Date
    private let beforeReplacing: @Sendable () throws -> Void
    private let last = Mutex<FileContents?>(nil)

    /// How often an operation is repeated if other programs change the file meanwhile.
    static let attempts = 5

    /// The source in the file at `url`. The file need not exist yet.
    ///
    /// `beforeReplacing` is called when a new file is complete, directly before the last check whether the old one has
    /// changed. Tests change the file here.
    package init(
        _ url: URL, now: @escaping @Sendable () -> Date = { Date() },
        beforeReplacing: @escaping @Sendable () throws -> Void = {}
    ) {
        (path, self.now, self.beforeReplacing) = (url.standardizedFileURL.path, now, beforeReplacing)
    }

    /// Reads the file. Progress counts bytes.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await read(progress).contents
    }

    package func changes() -> AsyncStream<Void> { PathWatch(path: path, isFolder: false).changes() }

    /// Reads only the bytes of that card, from their place at the last reading.
    package func vCard(_ reference: CardReference) async throws -> VCard {
        for _ in 0..<Self.attempts {
            let reading = try await read(evenIfUnsettled: false)
            guard let index = reading.index(of: reference) else { throw KithError(gone: reference, from: path) }
            if let vCard = try reading.vCard(index, of: path) { return vCard }
            last.withLock { $0 = nil }
        }
        throw KithError(.busy, "\(path) changes faster than it can be read. Try again.")
    }

    /// The content of the file: read now, or from the last reading if the file has not changed. With `evenIfUnsettled`,
    /// a file that may have changed without looking different is read again.
    @concurrent
    func read(_ progress: LoadProgress = .unheard, evenIfUnsettled: Bool = true) async throws -> FileContents {
        do {
            let file = try ReadableFile(path)
            let former = last.withLock { $0 }
            if let former, former.file == file.identity, former.isSettled || !evenIfUnsettled { return former }
            let reading = try await FileContents(file, after: former, at: now(), progress)
            last.withLock { $0 = reading }
            return reading
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }
}

extension KithError {
    /// The card does not exist, or not any more.
    init(gone reference: CardReference, from source: String) {
        self.init(.notFound, "The card “\(reference.name)” is no longer in \(source).")
    }
}

extension VCardFileSource {
    /// Appends cards to the file: all of them, or none.
    ///
    /// Writes a temporary file that then replaces the old one. A program that is killed while appending in place would
    /// leave half a card, which swallows the next one. The file keeps its mode and all of its bytes.
    package func add(_ cards: [VCard]) async throws -> AddedCards {
        let cards = cards.map { CardToAdd($0.closed) }
        return try await tryWriting(to: path, at: now, verb: "added", finding: target) { target in
            let reading = try await read()
            let there = reading.versions
            var known = Set(there.map(\.similarity))
            var (new, left): ([CardToAdd], [CardToAdd]) = ([], [])
            for card in cards {
                if known.insert(card.similarity).inserted { new.append(card) } else { left.append(card) }
            }
            let after = there + new.map { (similarity: $0.similarity, card: $0.card) }
            let differing = left.differing(from: after)
            if new.isEmpty { return AddedCards(differing: differing) }
            guard try add(new.map(\.vCard.bytes), to: reading, of: target) else { return nil }
            let names = CardNames.of(after.map(\.similarity)).suffix(new.count)
            return AddedCards(references: names.map { CardReference($0) }, differing: differing)
        }
    }

    /// The file, and its folder, which is locked. A link to the file stays a link.
    private func target() throws -> (file: ResolvedFile, folders: [String]) {
        let file = try ResolvedFile(Array(path.utf8CString))
        return (file, [file.folder])
    }

    /// - Returns: False if the file has changed since it was read.
    private func add(_ cards: [[UInt8]], to reading: FileContents, of target: ResolvedFile) throws -> Bool {
        guard access(target.path, W_OK) == 0 else { throw POSIXError.latest }
        let file = try ReadableFile(target.path)
        let new = try AtomicFile(in: target.folder)
        try new.resemble(reading.file)
        guard try !([file.bytes(0..<4)] + cards).contains(where: Self.isUTF16) else {
            throw KithError(.invalid, "\(path) or the card is in UTF-16. Add the card to a folder of vCards instead.")
        }
        var last: UInt8?
        while case let bytes = try file.read(Self.piece), !bytes.isEmpty {
            try Task.checkCancellation()
            try new.write(bytes)
            last = bytes.last
        }
        for card in cards {
            if let last, last != 10, last != 13 { try new.write([13, 10]) }
            try new.write(card)
            last = card.last
        }
        func isCurrent() throws -> Bool { try FileIdentity(ofEntry: target.path) == reading.file }
        guard file.identity == reading.file, try isCurrent() else { return false }
        var written: [[UInt8]] = []
        try new.forEachCard(from: reading.startOfLast) { written.append($0.bytes) }
        guard written.suffix(cards.count).elementsEqual(cards, by: Self.isSame) else {
            throw KithError(brokenAtItsEnd: path, line: try Self.lineOfLastFault(in: file))
        }
        return try new.replace(target.path) {
            try beforeReplacing()
            return try isCurrent()
        }
    }

    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withoutLineEnds == other.withoutLineEnds
    }

    /// The line where the unfinished card at the end begins; cards added after it would become part of it.
    private static func lineOfLastFault(in file: borrowing ReadableFile) throws -> Int {
        var reader = VCardReader()
        var line = 1
        var place = 0
        while case let bytes = try file.bytes(place..<place + piece), !bytes.isEmpty {
            reader.feed(bytes) { if case .fault(let fault) = $0 { line = fault.line } }
            place += bytes.count
        }
        reader.finish { if case .fault(let fault) = $0 { line = fault.line } }
        return line
    }

    /// How many bytes are read at once.
    private static let piece = 1 << 20

    private static func isUTF16(_ start: [UInt8]) -> Bool {
        start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(2).contains(0)
    }
}

extension VCardFileSource {
    /// Writes the edited card in its place in the file. No other byte changes, and the file keeps its mode.
    package func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        let index = try await rewrite(reference) { try $0.taking(edited, editedFrom: original) }
        let entries = try await read(evenIfUnsettled: false).contents.entries
        return SavedCard(reference: entries.indices.contains(index) ? entries[index].reference : reference)
    }

    /// Removes the card's bytes from the file.
    package func remove(_ original: VCard, as reference: CardReference) async throws -> Bool {
        _ = try await rewrite(reference) { card in
            try card.checkUnchanged(since: original)
            return nil
        }
        return true
    }

    /// Replaces a card with the result of `edit`, or removes it if that is nil.
    ///
    /// - Returns: The index of the card in the file.
    private func rewrite(_ reference: CardReference, _ edit: (VCard) throws -> VCard?) async throws -> Int {
        try await tryWriting(to: path, at: now, finding: target) { target in
            let reading = try await read()
            guard let index = reading.index(of: reference) else { throw KithError(gone: reference, from: path) }
            guard let card = try reading.vCard(index, of: path) else { return nil }
            let rewriting = CardRewriting(
                target: target, file: reading.file, index: index, place: reading.spots[index].place,
                count: reading.spots.count, beforeReplacing: beforeReplacing)
            return try rewriting.replace(card, with: edit(card)) ? index : nil
        }
    }
}

extension KithError {
    /// The file ends within a broken card, so cards after it would be lost.
    fileprivate init(brokenAtItsEnd path: String, line: Int) {
        self.init(
            .refused,
            "\(path) ends within the card that begins on line \(line): anything written after it would become part of it. Nothing "
                + "was added. End that card with END:VCARD, or take it out, and try again.")
    }
}
