package import Foundation
package import GRDB
package import KithModel
import Synchronization

/// A CardDAV account (RFC 6352): all of its address books.
///
/// The server tells what has changed since the last load, where it can (RFC 6578). Cards are kept on the device, so that
/// they are there at once and without a network. A server pushes nothing: it is asked at an interval.
package final class CardDAVSource: AddressBookSource {
    let account: CardDAVAccount
    let cache: CardCache
    private let clock: any Clock<Duration>
    private let pollingInterval: Duration
    private let turnstile = Turnstile()
    private let state = Mutex(State())

    struct State {
        var home: CardDAVHome?
        /// The books as the device has them, by their paths; nil until the cache was read.
        var shelves: [String: BookShelf]?
        /// The books as the server had them when the last load succeeded; nil if it failed.
        var seen: [CardDAVAccount.Book]?
    }

    /// How often an account is asked whether anything has changed.
    package static let defaultPollingInterval = Duration.seconds(15 * 60)

    /// The account of `user` at `address`, whose cards are kept in `database` under `id`.
    package init(
        at address: URL, user: String, password: String, withoutTLS: Bool, id: String, database: any DatabaseWriter,
        transport: any DAVTransport, clock: any Clock<Duration>,
        pollingInterval: Duration = CardDAVSource.defaultPollingInterval
    ) {
        account = CardDAVAccount(
            connection: DAVConnection(
                transport: transport, address: address, user: user, password: password, withoutTLS: withoutTLS))
        cache = CardCache(database: database, source: id)
        (self.clock, self.pollingInterval) = (clock, pollingInterval)
    }

    /// Reads what has changed; progress is in cards.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await turnstile.pass { try await contents(progress) }
    }

    /// The cards that the device keeps; nil if no address book was ever read to its end.
    package func cached() async throws -> SourceContents? {
        try await turnstile.pass {
            let shelves = try await shelves().values.filter { $0.token != nil }
            return shelves.isEmpty ? nil : SourceContents(shelves.sorted { $0.path < $1.path })
        }
    }

    /// Asks the server at the polling interval; an element says that what it answers is not what the last load saw.
    package func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let polling = Task { [weak self, clock, pollingInterval] in
            var pause = pollingInterval
            while (try? await clock.sleep(for: pause)) != nil, let self {
                pause = pollingInterval
                do {
                    let books = try await self.reach().books
                    if books != self.state.withLock({ $0.seen }) { continuation.yield() }
                } catch {
                    // Whoever loads is told why. A server that wants to be left alone is left alone.
                    pause = max(pause, (error as? KithError)?.retryAfter ?? .zero)
                }
            }
        }
        continuation.onTermination = { _ in polling.cancel() }
        return changes
    }

    /// Asks the server for that card as it stores it; without a network, the device's copy.
    package func vCard(_ reference: CardReference) async throws -> VCard {
        let path = String(reference.name.prefix { $0 != "#" })
        let bytes: [UInt8]?
        do {
            bytes = try await account.card(at: path, in: home().collections[0])
        } catch let error as KithError where error.code == .offline || error.code == .busy {
            bytes = try await cache.card(path)?.bytes
            if bytes == nil { throw error }
        }
        guard let bytes else { throw KithError(gone: reference, from: account.connection.address.absoluteString) }
        let batch = CardBatch(bytes)
        guard let index = CardHolding(batch, at: path).entries.firstIndex(where: { $0.reference == reference }) else {
            throw KithError(gone: reference, from: account.connection.address.absoluteString)
        }
        return batch.vCards[index].vCard
    }

    /// Puts each card into the account's first address book, under an address of its own that is made of the uid.
    /// Cards that were added before an error stay.
    package func add(_ cards: [VCard]) async throws -> [CardReference] {
        try await turnstile.pass {
            _ = try await contents(.unheard)
            let (home, books) = try await reach()
            guard let book = books.first, let shelves = state.withLock({ $0.shelves }) else {
                throw KithError(.notFound, "\(account.connection.address.absoluteString) has no address book.")
            }
            var keys = Set(shelves.values.lazy.flatMap(\.cards.values).flatMap(\.holding.keys))
            var added: [CardReference] = []
            for card in cards {
                let key = CardKey(card, uid: Card(card).uid)
                guard keys.insert(key).inserted else { continue }
                let place = home.collections[0].at(path: book.path)
                let path = place.appending(path: key.fileName()).canonicalPath
                if try await account.put(card.bytes, at: path, in: place) { added.append(CardReference(path)) }
            }
            return added
        }
    }

    // MARK: Reaching the server

    private func home() async throws -> CardDAVHome {
        if let home = state.withLock({ $0.home }) { return home }
        let home = try await account.discover()
        state.withLock { $0.home = home }
        return home
    }

    /// The address books as the server has them: one request, once their place is known.
    private func reach() async throws -> (home: CardDAVHome, books: [CardDAVAccount.Book]) {
        do {
            let home = try await home()
            return (home, try await account.books(in: home))
        } catch let error as KithError where error.code == .notFound && state.withLock({ $0.home }) != nil {
            // It has moved.
            state.withLock { $0.home = nil }
            let home = try await home()
            return (home, try await account.books(in: home))
        }
    }

    // MARK: Loading

    /// - Important: One at a time.
    private func contents(_ progress: LoadProgress) async throws -> SourceContents {
        state.withLock { $0.seen = nil }
        var shelves = try await shelves()
        // Also after an error: what was fetched need not be fetched again.
        defer { state.withLock { $0.shelves = shelves } }
        let (home, books) = try await reach()
        for path in shelves.keys.filter({ path in !books.contains { $0.path == path } }) {
            try await cache.forget(path)
            shelves[path] = nil
        }
        var faults: [VCardFault] = []
        for book in books {
            var shelf = shelves[book.path] ?? BookShelf(path: book.path)
            defer { shelves[book.path] = shelf }
            do {
                let loading = BookLoading(account: account, cache: cache, book: book, place: home.collections[0])
                try await loading.bring(&shelf, progress)
            } catch let error as KithError where error.code == .forbidden || error.code == .notFound {
                faults.append(VCardFault(line: 1, error.sentence, in: book.name))
            }
        }
        let contents = SourceContents(books.compactMap { shelves[$0.path] }, faults: faults)
        state.withLock { $0.seen = books }
        return contents
    }

    private func shelves() async throws -> [String: BookShelf] {
        if let shelves = state.withLock({ $0.shelves }) { return shelves }
        let shelves = try await BookShelf.read(from: cache)
        state.withLock { $0.shelves = shelves }
        return shelves
    }
}
