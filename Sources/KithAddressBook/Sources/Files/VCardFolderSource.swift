package import Foundation
import Kith
package import KithCards
import Synchronization

/// A folder with one vCard in each file: a vdir, as vdirsyncer and khard use it.
///
/// A card is identified by the name of its file. A load reads the files that have changed since the last one.
package final class VCardFolderSource: AddressBookSource {
    let path: String
    private let now: @Sendable () -> Date
    private let beforeReplacing: @Sendable () throws -> Void
    private let last = Mutex(VCardFolder())

    /// The source in the folder at `url`. The folder need not exist yet.
    ///
    /// `beforeReplacing` is called directly before the last check whether a file has changed that is to be replaced or
    /// deleted. Tests change the file here.
    package init(
        _ url: URL, now: @escaping @Sendable () -> Date = { Date() },
        beforeReplacing: @escaping @Sendable () throws -> Void = {}
    ) {
        (path, self.now, self.beforeReplacing) = (url.standardizedFileURL.path, now, beforeReplacing)
    }

    /// Reads what has changed. Progress counts files.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await read(progress).contents
    }

    package func changes() -> AsyncStream<Void> {
        PathWatch(path: path, isFolder: true, matters: VCardFolder.holdsCards).changes()
    }

    /// Reads only the bytes of that card, from their place at the last reading.
    @concurrent
    package func vCard(_ reference: CardReference) async throws -> VCard {
        do {
            guard let (name, start) = FileName.file(of: reference), name.holdsCards else { throw POSIXError(.ENOENT) }
            let file = try ReadableFile(name.path(in: path))
            if let known = last.withLock({ $0.files[name] }), known.identity == file.identity, known.reference == start,
                let index = known.holding.index(of: reference), let vCard = known.holding.vCard(index, in: file)
            {
                return vCard
            }
            let batch = CardBatch(try file.bytes(0..<file.identity.size))
            let read = VCardFolder.File(name, start, file.identity, [batch], at: now())
            last.withLock { $0.files[name] = read }
            guard let index = read.holding.index(of: reference) else { throw KithError(gone: reference, from: path) }
            return batch.vCards[index].vCard
        } catch let error as POSIXError where error.code == .ENOENT && FileIdentity(at: path) != nil {
            throw KithError(gone: reference, from: path)
        } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
    }

    /// Adds each card as a file of its own, named by the uid if that is a valid file name. A card is written completely
    /// or not at all; cards that were added before an error stay, and are its cause, ``UnaddedCards``.
    package func add(_ cards: [VCard]) async throws -> AddedCards {
        do {
            return try await withLock(on: [path]) {
                AtomicFile.removeAbandoned(in: path, at: now())
                var there = try await read(.unheard).versions
                var known = Set(there.map(\.similarity))
                var added: [CardReference] = []
                var left: [CardToAdd] = []
                // The number of the last file name that was tried for each key. Many cards may have the same uid.
                var attempts: [CardKey: Int] = [:]
                for card in cards.lazy.map({ CardToAdd($0.closed) }) {
                    try Task.checkCancellation()
                    let similarity = card.similarity
                    guard known.insert(similarity).inserted else {
                        left.append(card)
                        continue
                    }
                    there.append((similarity, card.card))
                    do {
                        let name = try place(card.vCard, similarity, after: &attempts[similarity.key, default: 0])
                        if let name { added.append(CardReference(name)) }
                    } catch let error as POSIXError where !added.isEmpty {
                        try synchronizeFolder(path)
                        let done = AddedCards(references: added, differing: left.differing(from: there))
                        throw KithError(writing: path, error, after: done, of: cards.count)
                    }
                }
                if !added.isEmpty { try synchronizeFolder(path) }
                return AddedCards(references: added, differing: left.differing(from: there))
            }
        } catch let error as POSIXError {
            throw KithError(writing: path, error)
        }
    }

    /// - Returns: The new file's name; nil if another program has added the same card in the meantime.
    private func place(_ card: VCard, _ similarity: CardSimilarity, after attempt: inout Int) throws -> String? {
        let new = try AtomicFile(in: path, mode: AtomicFile.usualMode)
        try new.write(card.bytes)
        let key = similarity.key
        attempt += 1
        while try !new.place(key.fileName(attempt: attempt)) {
            let taken = path + "/" + key.fileName(attempt: attempt)
            if let file = try? ReadableFile(taken), let bytes = try? file.bytes(0..<file.identity.size),
                CardBatch(bytes).understood().contains(where: { $0.similarity == similarity })
            {
                return nil
            }
            attempt += 1
        }
        return key.fileName(attempt: attempt)
    }

    // MARK: Editing

    /// Writes the edited card into its file. No other byte changes.
    package func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        let (name, index) = try await rewrite(reference) { try $0.taking(edited, editedFrom: original) }
        _ = try await read(.unheard)
        let entries = last.withLock { $0.files[name] }?.holding.entries ?? []
        return SavedCard(reference: entries.indices.contains(index) ? entries[index].reference : reference)
    }

    /// Removes the card, and its file if nothing else is in it. What cannot be read as a card stays.
    package func remove(_ original: VCard, as reference: CardReference) async throws -> Bool {
        _ = try await rewrite(reference) { card in
            try card.checkUnchanged(since: original)
            return nil
        }
        return true
    }

    /// Replaces a card with the result of `edit`, or removes it if that is nil.
    ///
    /// - Returns: The name of its file, and its index in the file.
    private func rewrite(
        _ reference: CardReference, _ edit: (VCard) throws -> VCard?
    ) async throws -> (name: FileName, index: Int) {
        try await tryWriting(to: path, at: now, finding: { try target(of: reference) }) { target in
            _ = try await read(.unheard)
            guard let (name, start) = FileName.file(of: reference),
                let file = last.withLock({ $0.files[name] }), file.reference == start,
                let identity = file.identity, let index = file.holding.index(of: reference)
            else { throw KithError(gone: reference, from: path) }
            let readable = try ReadableFile(name.path(in: path))
            guard let target, readable.identity == identity, let card = file.holding.vCard(index, in: readable)
            else {
                return nil
            }
            let edited = try edit(card)
            let rewriting = CardRewriting(
                target: target, file: identity, index: index, place: file.holding.place(of: index),
                count: file.holding.entries.count, beforeReplacing: beforeReplacing)
            let isReplaced =
                try edited == nil && rewriting.count == 1 && rewriting.isAllOfTheFile()
                ? delete(name, ifStill: identity) : rewriting.replace(card, with: edited)
            return isReplaced ? (name: name, index: index) : nil
        }
    }

    /// The file with the card, nil if it is gone, and the folders to lock. A link stays a link, and the file it leads to
    /// can be in another folder, which may be that of another source.
    private func target(of reference: CardReference) throws -> (file: ResolvedFile?, folders: [String]) {
        guard let (name, _) = FileName.file(of: reference) else { return (nil, [path]) }
        do {
            let file = try ResolvedFile(name.path(in: path))
            return (file, [path, file.folder])
        } catch let error as POSIXError where [.ENOENT, .ELOOP, .ENAMETOOLONG].contains(error.code) {
            return (nil, [path])
        }
    }

    /// - Returns: False if the file has changed since it was read.
    private func delete(_ name: FileName, ifStill identity: FileIdentity) throws -> Bool {
        let place = name.path(in: path)
        try beforeReplacing()
        guard try FileIdentity(ofEntry: place) == identity else { return false }
        _ = try checked(unlink(place))
        try synchronizeFolder(path)
        return true
    }

    // MARK: Reading

    @concurrent
    private func read(_ progress: LoadProgress) async throws -> VCardFolder {
        let names: [FileName]
        do { names = try VCardFolder.names(in: path) } catch let error as POSIXError {
            throw KithError(reading: path, error)
        }
        let known = last.withLock { $0 }
        var folder = VCardFolder()
        folder.files.reserveCapacity(names.count)
        var changed: [VCardFolder.Entry] = []
        for entry in folder.look(at: names, in: path) {
            if let file = known.files[entry.name], file.isSettled, file.identity == entry.identity,
                file.reference == entry.reference
            {
                folder.files[entry.name] = file
            } else {
                changed.append(entry)
            }
        }
        try await read(changed, into: &folder, progress)
        last.withLock { $0 = folder }
        return folder
    }

    /// How many files one task reads.
    private static let filesAtOnce = 256

    private func read(
        _ files: [VCardFolder.Entry], into folder: inout VCardFolder, _ progress: LoadProgress
    ) async throws {
        let pieces = stride(from: 0, to: files.count, by: Self.filesAtOnce).map {
            files[$0..<min($0 + Self.filesAtOnce, files.count)]
        }
        var done = 0
        try await withThrowingTaskGroup(of: [(FileName, VCardFolder.File)].self) { group in
            for piece in pieces {
                group.addTask { [path, now] in
                    try piece.compactMap { entry in
                        try Task.checkCancellation()
                        return VCardFolder.File(entry, in: path, at: now()).map { (entry.name, $0) }
                    }
                }
            }
            for try await read in group {
                for (name, file) in read { folder.files[name] = file }
                done += read.count
                progress.report(done, of: files.count)
            }
        }
    }
}
