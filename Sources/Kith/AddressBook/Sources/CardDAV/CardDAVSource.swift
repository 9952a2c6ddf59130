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
        var localBooks: [String: LocalBook]?
        /// The books as the server had them when the last load succeeded; nil if it failed.
        var seen: [RemoteBook]?
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
                transport: transport, trust: PasswordTrust(address: address, withoutTLS: withoutTLS), user: user,
                password: password))
        cache = CardCache(database: BookDatabase(writer: database), source: id)
        (self.clock, self.pollingInterval) = (clock, pollingInterval)
    }

    /// Reads what has changed; progress is in cards.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await turnstile.pass { try await contents(progress) }
    }

    /// The cards that the device keeps; nil if no address book was ever read to its end.
    package func cached() async throws -> SourceContents? {
        try await turnstile.pass {
            let localBooks = try await localBooks().values.filter { $0.token != nil }
            return localBooks.isEmpty ? nil : SourceContents(localBooks.sorted { $0.path < $1.path })
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
            bytes = try await account.card(at: path, in: home().collections[0]).bytes
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
    ///
    /// A server takes a uid once (RFC 6352, section 5.1): when the others are added, a card whose uid another name has is
    /// an error that names it.
    package func add(_ cards: [VCard]) async throws -> [CardReference] {
        try await turnstile.pass {
            _ = try await contents(.unheard)
            let (home, books) = try await reach()
            let localBooks = try await localBooks()
            let place = home.collections[0].at(path: books[0].path)
            var known = Set(localBooks.values.lazy.flatMap(\.cards.values).flatMap(\.holding.likenesses))
            var keys = Set(known.lazy.map(\.key))
            var added: [CardReference] = []
            var refused: [VCard] = []
            for card in cards {
                let likeness = CardLikeness(card)
                guard known.insert(likeness).inserted else { continue }
                guard keys.insert(likeness.key).inserted else {
                    refused.append(card)
                    continue
                }
                if let path = try await put(card, likeness, in: place) { added.append(CardReference(path)) }
            }
            if let first = refused.first { throw KithError(refused: Card(first), of: refused.count) }
            return added
        }
    }

    /// How many names are tried for a card.
    private static let names = 5

    /// - Returns: The new card's path; nil if another program has added this card in the meantime.
    private func put(_ card: VCard, _ likeness: CardLikeness, in book: URL) async throws -> String? {
        for attempt in 1...Self.names {
            let path = book.appending(path: likeness.key.fileName(attempt: attempt)).canonicalPath
            if try await account.put(card.bytes, at: path, in: book) { return path }
            // Another card's uid may be this one's, or only its name.
            guard let bytes = try await account.card(at: path, in: book).bytes else { return nil }
            if CardHolding(CardBatch(bytes), at: path).likenesses.contains(likeness) { return nil }
        }
        throw KithError(.refused, "Other cards have every name that the card could have on the server.")
    }

    // MARK: Reaching the server

    private func home() async throws -> CardDAVHome {
        if let home = state.withLock({ $0.home }) { return home }
        let home = try await account.discover()
        state.withLock { $0.home = home }
        return home
    }

    /// The address books as the server has them: one request, once their place is known.
    ///
    /// - Throws: ``KithError``; `notFound` if there is none: what the device has of them is not given up for that.
    private func reach() async throws -> (home: CardDAVHome, books: [RemoteBook]) {
        if let home = state.withLock({ $0.home }) {
            do {
                let books = try await account.books(in: home)
                if !books.isEmpty { return (home, books) }
            } catch let error as KithError where error.code == .notFound {
                // It has moved.
            }
            state.withLock { $0.home = nil }
        }
        let home = try await home()
        let books = try await account.books(in: home)
        guard !books.isEmpty else { throw account.hasNoBook }
        return (home, books)
    }

    // MARK: Loading

    /// - Important: One at a time.
    private func contents(_ progress: LoadProgress) async throws -> SourceContents {
        state.withLock { $0.seen = nil }
        var localBooks = try await localBooks()
        // Also after an error: what was fetched need not be fetched again.
        defer { state.withLock { $0.localBooks = localBooks } }
        let (home, books) = try await reach()
        for path in localBooks.keys.filter({ path in !books.contains { $0.path == path } }) {
            try await cache.forget(path)
            localBooks[path] = nil
        }
        var faults: [VCardFault] = []
        var plans: [(sync: BookSync, plan: BookSyncPlan)] = []
        for book in books {
            let sync = BookSync(account: account, cache: cache, book: book, place: home.collections[0])
            do {
                let local = localBooks[book.path] ?? LocalBook(path: book.path)
                if let plan = try await sync.plan(for: local) { plans.append((sync, plan)) }
            } catch let error as KithError where error.code == .forbidden || error.code == .notFound {
                faults.append(VCardFault(line: 1, error.sentence, in: book.name))
            }
        }
        let total = plans.reduce(0) { $0 + $1.plan.toFetch.count }
        var done = 0
        for (sync, plan) in plans {
            let path = sync.book.path
            try await sync.carryOut(plan, in: &localBooks[path, default: LocalBook(path: path)]) { count in
                done += count
                progress.report(done, of: total)
            }
        }
        let contents = SourceContents(books.compactMap { localBooks[$0.path] }, faults: faults)
        state.withLock { $0.seen = books }
        return contents
    }

    private func localBooks() async throws -> [String: LocalBook] {
        if let localBooks = state.withLock({ $0.localBooks }) { return localBooks }
        let localBooks = try await LocalBook.read(from: cache)
        state.withLock { $0.localBooks = localBooks }
        return localBooks
    }
}

extension KithError {
    /// The account took all but some cards, whose uids other people have: this one, and so many altogether.
    fileprivate init(refused card: Card, of count: Int) {
        let name = CardLikeness.name(of: card) ?? card.uid ?? ""
        let cards = count == 1 ? "“\(name)” was" : "\(count) cards, “\(name)” the first of them, were"
        self.init(
            .refused,
            "\(cards) not added: another card of the account has the same uid and another name. Give each a UID of its own."
        )
    }
}
