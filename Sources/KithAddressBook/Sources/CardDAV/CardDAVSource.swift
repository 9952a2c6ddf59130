package import Foundation
package import GRDB
import Kith
package import KithCards
import Synchronization

/// A CardDAV account (RFC 6352): all of its address books.
///
/// The server tells what has changed since the last load, where it can (RFC 6578). Cards are kept on the device, so that
/// they are there at once and without a network. A server pushes nothing: it is asked at an interval.
package final class CardDAVSource: AddressBookSource {
    let account: CardDAVAccount
    let cache: CardCache
    private let clock: any Clock<Duration>
    package let pace: PollingPace
    let lock = AsyncLock()
    private let state = Mutex(State())

    struct State {
        var home: CardDAVHome?
        /// The books as the device has them, by their paths; nil until the cache was read.
        var localBooks: [String: LocalBook]?
        /// The books as the server had them when the last load succeeded; nil if it failed.
        var seen: [RemoteBook]?
    }

    /// The account of `user` at `address`, whose cards are kept in `database` under `id`.
    package init(
        at address: URL, user: String, password: String, withoutTLS: Bool, id: String, database: any DatabaseWriter,
        transport: any DAVTransport, clock: any Clock<Duration>, pace: PollingPace
    ) {
        account = CardDAVAccount(
            connection: DAVConnection(
                transport: transport, trust: PasswordTrust(address: address, withoutTLS: withoutTLS), user: user,
                password: password))
        cache = CardCache(database: BookDatabase(writer: database), source: id)
        (self.clock, self.pace) = (clock, pace)
    }

    /// Reads what has changed; progress is in cards.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        try await lock.withLock { try await contents(progress) }
    }

    /// The cards that the device keeps; nil if no address book was ever read to its end.
    package func cached() async throws -> SourceContents? {
        try await lock.withLock {
            let localBooks = try await localBooks().values.filter { $0.token != nil }
            return localBooks.isEmpty ? nil : SourceContents(localBooks.sorted { $0.path < $1.path })
        }
    }

    /// Asks the server at the pace; an element says that what it answers is not what the last load saw.
    package func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let polling = Task { [weak self, clock, pace] in
            var elapsed = Self.stopwatch(clock)
            // What the server wants.
            var rest = Duration.zero
            while true {
                let left = max(.zero, max(pace.interval, rest) - elapsed())
                // Somebody may begin to watch meanwhile.
                do { try await clock.sleep(for: min(left, PollingPace.whileWatched)) } catch { return }
                guard let self else { return }
                if elapsed() < max(pace.interval, rest) { continue }
                rest = .zero
                do {
                    let books = try await self.reach().books
                    if books != self.state.withLock({ $0.seen }) { continuation.yield() }
                } catch {
                    // Whoever loads is told why. A server that wants to be left alone is left alone.
                    rest = (error as? KithError)?.retryAfter ?? .zero
                }
                elapsed = Self.stopwatch(clock)
            }
        }
        continuation.onTermination = { _ in polling.cancel() }
        return changes
    }

    /// What tells the time since now.
    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
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

    // MARK: Reaching the server

    /// Whether another account is at the same server, so that both may be one.
    func hasHost(of other: CardDAVSource) -> Bool {
        account.connection.address.host()?.lowercased() == other.account.connection.address.host()?.lowercased()
    }

    /// Whether both accounts are one, by different addresses. False if a server does not say so now.
    func isSame(as other: CardDAVSource) async -> Bool {
        guard account.connection.user == other.account.connection.user, let own = try? await home(),
            let others = try? await other.home()
        else { return false }
        return own.isBook == others.isBook
            && Set(own.collections.map(\.comparable)) == Set(others.collections.map(\.comparable))
    }

    private func home() async throws -> CardDAVHome {
        if let home = state.withLock({ $0.home }) { return home }
        let home = try await account.discover()
        state.withLock { $0.home = home }
        return home
    }

    /// The address books as the server has them: one request, once their place is known.
    ///
    /// - Throws: ``KithError``; `notFound` if there is none: what the device has of them is not given up for that.
    func reach() async throws -> (home: CardDAVHome, books: [RemoteBook]) {
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
    func contents(_ progress: LoadProgress) async throws -> SourceContents {
        state.withLock { $0.seen = nil }
        var localBooks = try await localBooks()
        // Also after an error: what was fetched need not be fetched again.
        defer { state.withLock { $0.localBooks = localBooks } }
        let (home, books) = try await reach()
        for path in localBooks.keys.filter({ path in !books.contains { $0.path == path } }) {
            try await cache.forget(path)
            localBooks[path] = nil
        }
        var faults: SourceFaults = []
        var plans: [(sync: BookSync, plan: BookSyncPlan)] = []
        for book in books {
            let sync = BookSync(account: account, cache: cache, clock: clock, book: book, place: home.collections[0])
            do {
                let local = localBooks[book.path] ?? LocalBook(path: book.path)
                if let plan = try await sync.plan(for: local) { plans.append((sync, plan)) }
            } catch let error as KithError where error.code == .forbidden || error.code == .notFound {
                faults.append(SourceFault(line: 1, error.sentence, in: book.name))
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

    func localBooks() async throws -> [String: LocalBook] {
        if let localBooks = state.withLock({ $0.localBooks }) { return localBooks }
        let localBooks = try await LocalBook.read(from: cache)
        state.withLock { $0.localBooks = localBooks }
        return localBooks
    }
}

extension CardDAVSource {
    /// Puts each card into the account's first address book, in UTF-8 and with a uid, under an address of its own that is
    /// made of the uid.
    ///
    /// A card that is refused stops no other. One whose uid a card of another name has is: a server takes a uid once
    /// (RFC 6352, section 5.1).
    ///
    /// - Throws: ``KithError`` that says how many cards were added all the same, which was refused, and why.
    package func add(_ cards: [VCard]) async throws -> [CardReference] {
        try await lock.withLock {
            _ = try await contents(.unheard)
            let (home, books) = try await reach()
            let place = home.collections[0].at(path: books[0].path)
            var known = try await Set(localBooks().values.lazy.flatMap(\.cards.values).flatMap(\.holding.likenesses))
            var keys = Set(known.lazy.map(\.key))
            var addition = Addition(count: cards.count)
            for card in cards {
                do {
                    let own = CardLikeness(card)
                    let new = try AccountCard(card)
                    // One that another program has put there may still lack a uid.
                    guard known.insert(new.likeness).inserted, own == new.likeness || known.insert(own).inserted
                    else { continue }
                    guard keys.insert(new.likeness.key).inserted else {
                        throw KithError(
                            .refused,
                            "Another card of the account has the same uid and another name. Give it a UID of its own.")
                    }
                    if let path = try await put(new, in: place) { addition.added.append(CardReference(path)) }
                } catch let error as KithError {
                    addition.refusals.append((card, error))
                    guard DAVConnection.isOfOneResource(error) || error.code == .invalid else { break }
                }
            }
            if let error = addition.error { throw error }
            return addition.added
        }
    }

    /// How many names are tried for a card.
    private static let names = 5

    /// - Returns: The new card's path; nil if another program has added this card in the meantime.
    private func put(_ card: AccountCard, in book: URL) async throws -> String? {
        for attempt in 1...Self.names {
            let path = book.appending(path: card.likeness.key.fileName(attempt: attempt)).canonicalPath
            if try await account.put(card.vCard.bytes, at: path, in: book) { return path }
            // Another card's uid may be this one's, or only its name.
            guard let bytes = try await account.card(at: path, in: book).bytes else {
                throw KithError(.refused, "The server has another card with this uid, or does not take this one.")
            }
            if CardHolding(CardBatch(bytes), at: path).likenesses.contains(card.likeness) { return nil }
        }
        throw KithError(.invalid, "Other cards have every name that it could have on the server.")
    }
}

/// What has become of cards that are being added.
private struct Addition {
    /// How many were to be added.
    let count: Int
    var added: [CardReference] = []
    var refusals: [(card: VCard, error: KithError)] = []

    /// One error for all that went wrong; nil if nothing did.
    var error: KithError? {
        guard let (card, error) = refusals.first else { return nil }
        let named = Card(card)
        let name = CardLikeness.name(of: named) ?? named.uid ?? "a card without a name"
        var sentence = "“\(name)” was not added: \(error.sentence)"
        if count > 1 { sentence = "\(added.count) of \(count) cards were added. \(sentence)" }
        if refusals.count > 1 { sentence += " Nor were \(refusals.count - 1) others." }
        return KithError(error.code, sentence, retryAfter: error.retryAfter, cause: error.cause)
    }
}
