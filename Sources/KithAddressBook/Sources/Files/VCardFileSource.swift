package import Foundation
import Kith
package import KithCards
import Synchronization

/// A file of vCards, as programs export them; of any size.
///
/// A card is known by its uid, else by what it says. The file is read again only when it has changed.
package final class VCardFileSource: AddressBookSource {
    let path: String
    let now: @Sendable () -> Date
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
            guard let index = reading.index(of: reference) else { throw KithError(gone: reference, from: path) }
            if let vCard = try reading.vCard(index, of: path) { return vCard }
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
            let former = last.withLock { $0 }
            if let former, former.file == file.identity, former.isSettled || !evenIfUnsettled { return former }
            let reading = try await FileReading(file, after: former, at: now(), progress)
            last.withLock { $0 = reading }
            return reading
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
