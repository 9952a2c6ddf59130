package import Foundation
package import GRDB
import Kith
package import KithCards
import Synchronization

/// A CardDAV account (RFC 6352) with all of its address books.
///
/// If the server can, it lists only what has changed since the last load (RFC 6578). The cards are cached on the
/// device, so they are available at once and without a network. The server cannot push, so it is polled at an interval.
///
/// An edit is kept on the device until it has been sent. A load first sends the waiting edits, then reads.
package final class CardDAVSource: AddressBookSource {
    let account: CardDAVAccount
    let cache: CardCache
    let edits: WaitingEdits
    /// Whether to make no requests and use only the cached cards.
    private let isOffline: Bool
    private let clock: any Clock<Duration>
    package let schedule: PollingSchedule
    /// Allows one load, or one sending of edits, at a time.
    let lock = AsyncLock()
    private let state = Mutex(State())

    struct State {
        var home: CardDAVHome?
        /// The books on the device by path; nil until the cache has been read.
        var localBooks: [String: LocalBook]?
        /// The server's books at the last successful load; nil if the last load failed, or if another process has loaded
        /// the account meanwhile.
        var seen: [RemoteBook]?
        /// Whether the server cuts values at bare commas; nil until a card with such values was read back.
        var cutsAtCommas: Bool?
    }

    /// The account of `user` at `address`. Its cards are cached in `database` under `id`.
    package init(
        at address: URL, user: String, password: String, withoutTLS: Bool, id: String, database: any DatabaseWriter,
        transport: any DAVTransport, clock: any Clock<Duration>, schedule: PollingSchedule, isOffline: Bool = false
    ) {
        account = CardDAVAccount(
            connection: DAVConnection(
                transport: transport, trust: PasswordTrust(address: address, withoutTLS: withoutTLS), user: user,
                password: password))
        cache = CardCache(database: BookDatabase(writer: database), source: id)
        edits = WaitingEdits(BookDatabase(writer: database), source: id)
        (self.clock, self.schedule, self.isOffline) = (clock, schedule, isOffline)
    }

    /// Sends the waiting edits, then reads what has changed. Progress counts cards.
    package func load(_ progress: LoadProgress) async throws -> SourceContents {
        if isOffline {
            if let cached = try await cached() { return cached }
            throw KithError(.offline, "It was never read. Repeat this without staying offline.")
        }
        return try await lock.withLock {
            try await sendEdits()
            return try await contents(progress)
        }
    }

    /// The cached cards; nil if no address book was ever read completely.
    package func cached() async throws -> SourceContents? {
        try await lock.withLock {
            let localBooks = try await localBooks().values.filter { $0.token != nil }
            if localBooks.isEmpty { return nil }
            return SourceContents(localBooks.sorted { $0.path < $1.path }, edits: try await edits.all())
        }
    }

    /// Polls the server; emits an element when its answer differs from what the last load saw.
    package func changes() -> AsyncStream<Void> {
        if isOffline { return AsyncStream { _ in } }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let polling = Task { [weak self, clock, schedule] in
            var elapsed = Self.stopwatch(clock)
            // The pause that the server asks for.
            var rest = Duration.zero
            while true {
                let left = max(.zero, max(schedule.interval, rest) - elapsed())
                // Sleep in short steps: the interval gets shorter if somebody starts to watch.
                do { try await clock.sleep(for: min(left, PollingSchedule.whileWatched)) } catch { return }
                guard let self else { return }
                if elapsed() < max(schedule.interval, rest) { continue }
                rest = .zero
                do {
                    let books = try await self.reach().books
                    if books != self.state.withLock({ $0.seen }) { continuation.yield() }
                } catch {
                    // The next load reports the error. Here only the server's `Retry-After` matters.
                    rest = (error as? KithError)?.retryAfter ?? .zero
                }
                elapsed = Self.stopwatch(clock)
            }
        }
        continuation.onTermination = { _ in polling.cancel() }
        return changes
    }

    /// Returns a function that tells the time since this call.
    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Requests the card as the server stores it; without a network, returns the device's copy. If an edit of the card
    /// waits, returns the edited card.
    package func vCard(_ reference: CardReference) async throws -> VCard {
        let path = String(reference.name.prefix { $0 != "#" })
        if let edit = try await edits.edit(of: path), edit.refusal == nil {
            guard let edited = edit.edited else { throw gone(reference) }
            return edited
        }
        let bytes: [UInt8]?
        do {
            if isOffline {
                throw KithError(.offline, "The card is not on this device. Repeat this without staying offline.")
            }
            bytes = try await account.card(at: path, in: home().collections[0]).bytes
        } catch let error as KithError where error.code == .offline || error.code == .busy {
            bytes = try await cache.card(path)?.bytes
            if bytes == nil { throw error }
        }
        guard let bytes else { throw gone(reference) }
        let batch = CardBatch(bytes)
        guard let index = CardHolding(batch, at: path).entries.firstIndex(where: { $0.reference == reference }) else {
            throw gone(reference)
        }
        return batch.vCards[index].vCard
    }

    func gone(_ reference: CardReference) -> KithError {
        KithError(gone: reference, from: account.connection.address.absoluteString)
    }

    // MARK: Reaching the server

    /// Whether both accounts have the same host, so that they may have the same books.
    func hasHost(of other: CardDAVSource) -> Bool {
        account.connection.address.comparableHost == other.account.connection.address.comparableHost
    }

    /// Which of the same books two addresses lead to.
    enum Relation {
        /// The same account, or the same book.
        case same
        /// This is one book of the other account.
        case bookOfOther
        /// The other is one book of this account.
        case accountOfOther
        /// None, or one of the servers cannot be asked now.
        case none
    }

    /// The relation to another source, as their servers say it.
    func relation(to other: CardDAVSource) async -> Relation {
        guard !isOffline, account.connection.user == other.account.connection.user,
            let own = try? await home(), let others = try? await other.home()
        else { return .none }
        switch (own.isBook, others.isBook) {
        case (true, false): return await other.hasBook(at: own.collections[0]) ? .bookOfOther : .none
        case (false, true): return await hasBook(at: others.collections[0]) ? .accountOfOther : .none
        case (true, true), (false, false):
            let isSame = Set(own.collections.map(\.comparable)) == Set(others.collections.map(\.comparable))
            return isSame ? .same : .none
        }
    }

    private func hasBook(at url: URL) async -> Bool {
        guard let (home, books) = try? await reach() else { return false }
        return books.contains { home.collections[0].at(path: $0.path).comparable == url.comparable }
    }

    func home() async throws -> CardDAVHome {
        if let home = state.withLock({ $0.home }) { return home }
        let home = try await account.discover()
        state.withLock { $0.home = home }
        return home
    }

    /// The server's address books: one request, once their place is known.
    ///
    /// - Throws: ``KithError``; `notFound` if there are none. The device's copies are kept in that case.
    func reach() async throws -> (home: CardDAVHome, books: [RemoteBook]) {
        if let home = state.withLock({ $0.home }) {
            do {
                let books = try await account.books(in: home)
                if !books.isEmpty { return (home, books) }
            } catch let error as KithError where error.code == .notFound {
                // The home has moved: discover it again.
            }
            state.withLock { $0.home = nil }
        }
        let home = try await home()
        let books = try await account.books(in: home)
        guard !books.isEmpty else { throw account.hasNoBook }
        return (home, books)
    }

    // MARK: Loading

    /// - Important: Only one call at a time.
    func contents(_ progress: LoadProgress) async throws -> SourceContents {
        state.withLock { $0.seen = nil }
        var localBooks = try await localBooks()
        // Stored after an error too, so that cards are not fetched twice.
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
                faults.append(SourceFault(line: 1, error.sentence, in: CardHolding.name(at: book.path)))
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
        let contents = SourceContents(
            books.compactMap { localBooks[$0.path] }, edits: try await edits.all(), faults: faults)
        if plans.allSatisfy({ localBooks[$0.sync.book.path]?.token != nil }) { state.withLock { $0.seen = books } }
        return contents
    }

    /// The books on the device. They are read from the cache again if another process has loaded the account meanwhile.
    func localBooks() async throws -> [String: LocalBook] {
        if let localBooks = state.withLock({ $0.localBooks }) {
            let stored = Dictionary(try await cache.books().map { ($0.path, $0.token) }) { $1 }
            if localBooks.compactMapValues(\.token) == stored { return localBooks }
        }
        let localBooks = try await LocalBook.read(from: cache)
        state.withLock { $0.localBooks = localBooks }
        return localBooks
    }
}

extension CardDAVSource {
    /// Puts each card into the account's first address book, in UTF-8 and with a uid, at an address that is derived
    /// from the uid.
    ///
    /// A refused card does not stop the others. A card is refused if a card with another name has its uid, because a
    /// server accepts a uid once (RFC 6352, section 5.1).
    ///
    /// - Throws: ``KithError`` that says how many cards were added, which card was refused, and why. Its cause,
    ///   ``UnaddedCards``, has all of them.
    package func add(_ cards: [VCard]) async throws -> AddedCards {
        if isOffline {
            throw KithError(.offline, "This needs the account's server. Repeat it without staying offline.")
        }
        return try await lock.withLock {
            _ = try await contents(.unheard)
            let (home, books) = try await reach()
            let place = home.collections[0].at(path: books[0].path)
            var there = try await localBooks().values.flatMap(\.cards.values).flatMap(\.holding.versions)
            var known = Set(there.lazy.map(\.similarity))
            var keys = Set(known.lazy.map(\.key))
            var addition = CardAddition(count: cards.count)
            for card in cards {
                do {
                    let own = CardSimilarity(card)
                    let new = try AccountCard(card)
                    // A card that another program has put there may still lack a uid.
                    guard known.insert(new.similarity).inserted, own == new.similarity || known.insert(own).inserted
                    else {
                        addition.left.append(CardToAdd(new.vCard))
                        continue
                    }
                    there.append((new.similarity, Card(new.vCard)))
                    guard keys.insert(new.similarity.key).inserted else {
                        throw KithError(
                            .refused,
                            "Another card of the account has the same uid and another name. Give it a UID of its own.")
                    }
                    if let path = try await put(new, in: place) { addition.added.append(CardReference(path)) }
                } catch let error as KithError {
                    addition.note(error, of: card)
                    guard !addition.isStopped else { break }
                }
            }
            let added = AddedCards(references: addition.added, differing: addition.left.differing(from: there))
            if let error = addition.error(after: added) { throw error }
            return added
        }
    }

    /// How many file names are tried for a card.
    private static let names = 5

    static var notTaken: KithError {
        KithError(.refused, "The server has another card with this uid, or does not take this one.")
    }

    /// - Returns: The new card's path; nil if another program has added the same card in the meantime.
    private func put(_ card: AccountCard, in book: URL) async throws -> String? {
        for attempt in 1...Self.names {
            let path = book.appending(path: card.similarity.key.fileName(attempt: attempt)).canonicalPath
            if try await account.put(form(of: card.vCard).bytes, at: path, in: book) {
                try await keepWhole(card.vCard, at: path, in: book)
                return path
            }
            // Either the name is taken, or the uid.
            guard let bytes = try await account.card(at: path, in: book).bytes else {
                throw Self.notTaken
            }
            let there = CardHolding(CardBatch(bytes), at: path).versions
            if there.contains(where: { $0.similarity == card.similarity }) { return nil }
        }
        throw KithError(.refused, "Other cards have every name that it could have on the server.")
    }
}

extension CardDAVSource {
    // MARK: Servers that cut values

    /// The card as it is put: without bare commas if the server is known to cut values there.
    func form(of card: VCard) -> VCard {
        state.withLock(\.cutsAtCommas) == true ? card.withoutBareCommas : card
    }

    /// Whether it is not known that the server keeps all of the card.
    private func mayBeCut(_ card: VCard) -> Bool {
        state.withLock(\.cutsAtCommas) == nil && card.withoutBareCommas != card
    }

    /// Puts a new card again if the server has cut values of it. The account has the card, so it is no error if it cannot
    /// be read back. If the server does not take it again, the cut card is removed, so that it can be added again.
    private func keepWhole(_ card: VCard, at path: String, in book: URL) async throws {
        guard mayBeCut(card), let stored = try? await account.current(at: path, in: book) else { return }
        do {
            _ = try await putAgainIfCut(card, stored, at: path, in: book)
        } catch {
            _ = try? await account.delete(stored.etag, at: path, in: book)
            throw error
        }
    }

    /// Puts a card again, without bare commas, if `stored` shows that the server has cut values of it there. Other servers
    /// get the commas as the standard wants them. Returns whether the card was put again.
    private func putAgainIfCut(
        _ card: VCard, _ stored: CardDAVAccount.Card?, at path: String, in book: URL
    ) async throws -> Bool {
        guard mayBeCut(card), let stored, let present = try? VCard(stored.bytes) else { return false }
        let isCut = present.isCut(from: card)
        state.withLock { $0.cutsAtCommas = isCut }
        return isCut
            ? try await account.replace(stored.etag, by: card.withoutBareCommas.bytes, at: path, in: book) : false
    }
}

extension CardDAVSource {
    // MARK: Editing

    /// Sends the edit, or keeps it until the server can be reached.
    package func save(
        _ edited: VCard, editedFrom original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        try await perform(edited, on: original, as: reference)
    }

    /// Removes the card, or keeps the removal until the server can be reached.
    package func remove(_ original: VCard, as reference: CardReference) async throws -> Bool {
        try await perform(nil, on: original, as: reference).isSent
    }

    /// Forgets an edit that the server does not have. If its answer was lost, the server may have it.
    package func discardEdit(of reference: CardReference) async throws {
        try await lock.withLock { try await edits.discard(reference.name) }
    }

    /// Stores the edit, then sends it. If the server does not take it now, it waits.
    private func perform(
        _ edited: VCard?, on original: VCard, as reference: CardReference
    ) async throws -> SavedCard {
        guard !reference.name.contains("#") else {
            throw KithError(.refused, "The account keeps several cards at this address, so none can be edited there.")
        }
        let path = reference.name
        let book = try await cache.card(path)?.book ?? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        let new = CardEdit(
            book: book, path: path, original: original, edited: edited?.withEscapedTexts(besides: original))
        guard let edit = try await edits.store(new) else { return SavedCard(reference: reference) }
        if isOffline {
            edits.report(path)
            return SavedCard(reference: reference, isSent: false)
        }
        do {
            try await lock.withLock {
                // A load or an earlier edit may have sent it in the meantime, and a later edit may have added to it.
                guard let present = try await edits.renewed(path) else { return }
                try await send(present, .made)
            }
            return SavedCard(reference: reference)
        } catch  where Self.waits(for: error) {
            let failure = (error as? KithError).flatMap { $0.code == .offline ? nil : $0.sentence }
            edits.report(path)
            edits.note(failure, of: edit)
            return SavedCard(reference: reference, isSent: false, reason: failure)
        } catch let error as KithError {
            try await edits.refuse(edit, error, isThrown: true)
            throw error
        }
    }

    /// Whether an edit is kept after this error, and sent later.
    private static func waits(for error: any Error) -> Bool {
        guard let error = error as? KithError else { return error is CancellationError }
        return [.offline, .busy, .unauthorized].contains(error.code)
    }

    /// Sends the waiting edits, oldest first. An edit that the server refuses becomes a fault of the source.
    private func sendEdits() async throws {
        for edit in try await edits.all() where edit.refusal == nil {
            do {
                try await send(edit, .waited)
            } catch let error as KithError where error.code == .busy {
                // The server may be failing on this card alone.
                edits.note(error.sentence, of: edit)
            } catch let error as KithError where Self.waits(for: error) {
                // The load fails for the same reason, and reports it.
                return
            } catch let error as KithError {
                try await edits.refuse(edit, error)
            }
        }
    }

    private func send(_ edit: CardEdit, _ occasion: EditSender.Occasion) async throws {
        var sender = EditSender(edit, to: self, occasion)
        if let sent = try await sender.send() { try await finish(sent) }
    }

    /// Where another program has put the card of an edit, which is gone from its address; nil if the account lacks it.
    ///
    /// - Throws: ``KithError``: `busy` if the cards cannot be listed now; `refused` if another card has the uid.
    func newPlace(of edit: CardEdit) async throws -> (book: String, path: String)? {
        do {
            _ = try await contents(.unheard)
        } catch let error as KithError where !Self.waits(for: error) {
            // The server does not refuse the edit, so the edit waits.
            throw KithError(.busy, error.sentence, cause: error)
        }
        return try await edit.newPlace(in: localBooks().values)
    }

    /// Notes that the server has accepted an edit. Requests the card again, because some servers rewrite cards.
    private func finish(_ sent: EditSender.Sent) async throws {
        let edit = sent.edit
        guard let card = sent.card else { return try await finish(edit, nil) }
        var now = try? await account.current(at: edit.path, in: sent.book)
        if try await putAgainIfCut(card, now, at: edit.path, in: sent.book) {
            now = try? await account.current(at: edit.path, in: sent.book)
        }
        // Without a tag, the next load reads the card again.
        try await finish(
            edit,
            CardCache.StoredCard(
                book: edit.book, path: edit.path, etag: now?.etag ?? "", bytes: now?.bytes ?? card.bytes))
    }

    private func finish(_ edit: CardEdit, _ card: CardCache.StoredCard?) async throws {
        try await edits.finish(edit, card)
        state.withLock { state in
            state.localBooks?[edit.book]?.cards[edit.path] = card.map(LocalBook.Card.init)
        }
    }
}
