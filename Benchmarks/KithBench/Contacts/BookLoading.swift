import Foundation
import Kith
import KithAddressBook
import KithModel

/// Measures how long a large address book takes to load: to read, parse, link, sort and index its cards.
struct BookLoading {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    /// Measures a load of `count` cards from one file, and a further load after one card was added. Returns the address
    /// book.
    func measureFile(_ count: Int, into table: Table) async throws -> AddressBook {
        let file = folder.appending(path: "contacts.vcf")
        var bytes = CardFile(hasPhotos: false).cards(count)
        try Data(bytes).write(to: file)
        let (book, loading, finding, indexing) = try await load(.vCardFile(file))
        bytes += CardFile(hasPhotos: false).card(count)
        let again = try await heard(by: book) { try Data(bytes).write(to: file) }
        let what = "\(count) cards in a file of \(bytes.count / 1_000_000) MB"
        table.row("\(what): \(try await book.loaded().count) contacts shown", loading, try plain([file]))
        table.row("  then the first of them found by a number", finding, try plain([file]))
        table.row("  and all of them found by any number or text", indexing, try plain([file]))
        table.row("  one more, from its writing to its being heard of", again, try plain([file]))
        return book
    }

    /// Measures a load of `count` cards from a folder with one file for each, and a further load after one file has
    /// changed.
    func measureFolder(_ count: Int, into table: Table) async throws {
        let folder = folder.appending(path: "contacts")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let cards = CardFile(hasPhotos: false)
        let files = (0..<count).map { folder.appending(path: "\($0).vcf") }
        for (index, file) in files.enumerated() { try Data(cards.card(index)).write(to: file) }
        let (book, loading, _, _) = try await load(.folder(folder))
        let again = try await heard(by: book) { try Data(cards.card(count)).write(to: files[0]) }
        let plain = try plain(files)
        table.row("\(count) cards in a folder of files", loading, plain)
        table.row("  one changed, from its writing to its being heard of", again, plain)
    }

    /// Loads three times, each with a new client, and returns the fastest load: other processes may have delayed the
    /// others. The look-up of a number and the index are measured from the moment when the contacts are shown.
    private func load(
        _ location: SourceLocation
    ) async throws -> (book: AddressBook, shown: Duration, found: Duration, indexed: Duration) {
        var loads: [(book: AddressBook, shown: Duration, found: Duration, indexed: Duration)] = []
        for _ in 0..<3 {
            var configuration = KithConfiguration(storage: .inMemory)
            configuration.region = Region("AT")
            let book = try KithClient(configuration).addressBook
            let start = ContinuousClock.now
            try await book.addSource(location)
            _ = try await book.loaded()
            let shown = ContinuousClock.now
            guard book.contact(withPhone: CardFile(hasPhotos: false).person(0).mobile) != nil else {
                fatalError("Nobody has the number of the first card.")
            }
            let found = ContinuousClock.now
            // Searches wait until everything is indexed.
            _ = book.search("nobody")
            loads.append((book, shown - start, found - shown, ContinuousClock.now - shown))
        }
        guard let shortest = loads.min(by: { $0.shown < $1.shown }) else { fatalError("Nothing was loaded.") }
        return shortest
    }

    /// The time from a change of the files until the address book announces it.
    private func heard(by book: AddressBook, _ change: () throws -> Void) async throws -> Duration {
        // The first load prepares the search index in the background. Wait for it, because it is not part of the next
        // load.
        _ = book.search("nobody")
        var changes = book.changes().makeAsyncIterator()
        _ = await changes.next()
        let start = ContinuousClock.now
        try change()
        _ = await changes.next()
        return ContinuousClock.now - start
    }

    /// The time to read only the bytes of the files.
    private func plain(_ files: [URL]) throws -> Duration {
        var count = 0
        let time = try ContinuousClock().measure {
            for file in files { count += try Data(contentsOf: file).count }
        }
        precondition(count > 0)
        return time
    }
}
