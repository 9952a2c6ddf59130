import Foundation
import Kith
import KithCards
import Synchronization

/// Brings one account book up to date: asks the server what has changed, makes a plan, fetches the cards and stores
/// them.
package struct BookSync: Sendable {
    let account: CardDAVAccount
    let cache: CardCache
    let clock: any Clock<Duration>
    let book: RemoteBook
    /// An address on the book's server.
    let place: URL

    /// How many cards one request asks for.
    static let cardsPerRequest = 100

    /// How long one such request may take, including the smaller requests that it is split into. A server may send each
    /// of them very slowly.
    package static let deadline = Duration.seconds(15 * 60)

    private var url: URL { place.at(path: book.path) }

    /// How many such requests are under way at once.
    static let requestsAtOnce = 4

    /// Carries out a plan. Calls `fetched` with the number of cards after each request.
    ///
    /// If the server does not return a card, the device keeps its copy and marks it as wanted, to be requested again at
    /// the next load: the sync token would never mention it again. If one request fails, the cards from the others are
    /// kept.
    ///
    /// If another process has loaded the book meanwhile, the book has no token afterwards, and the next load reads it from the
    /// cache again.
    ///
    /// - Throws: ``KithError``. Also thrown if the server returns none of the cards of a full request, because the
    ///   cause is then not a single card.
    func carryOut(_ plan: BookSyncPlan, in local: inout LocalBook, _ fetched: (Int) -> Void) async throws {
        var removed = plan.toRemove
        let requests = stride(from: 0, to: plan.toFetch.count, by: Self.cardsPerRequest).map {
            plan.toFetch[$0..<min($0 + Self.cardsPerRequest, plan.toFetch.count)]
        }
        var failure: (any Error)?
        await withTaskGroup(of: (number: Int, result: Result<Batch, any Error>).self) { group in
            var (begun, kept) = (0, 0)
            var answers: [Int: Result<Batch, any Error>] = [:]
            while kept < begun || (failure == nil && begun < requests.count) {
                while failure == nil, begun < min(requests.count, kept + Self.requestsAtOnce) {
                    let (number, paths) = (begun, requests[begun])
                    group.addTask { (number, await answer(to: paths, tags: plan.tags)) }
                    begun += 1
                }
                guard let (number, result) = await group.next() else { break }
                answers[number] = result
                // Answers are stored in the order of the paths, so that progress and the cache grow the same way each
                // time.
                while let answer = answers.removeValue(forKey: kept) {
                    do {
                        removed += try await keep(answer.get(), in: &local)
                        fetched(requests[kept].count)
                    } catch {
                        failure = failure ?? error
                    }
                    kept += 1
                }
            }
        }
        if let failure { throw failure }
        let isStored = try await cache.finish(
            book.path, token: plan.token, since: local.token, tags: local.cards.mapValues(\.etag), removed: removed)
        for path in removed { local.cards[path] = nil }
        local.token = isStored ? plan.token : nil
    }

    /// Stores the answer to one request.
    ///
    /// - Returns: The paths of the cards that are gone.
    private func keep(_ batch: Batch, in local: inout LocalBook) async throws -> [String] {
        if let refusal = batch.refusals.first, batch.refusals.count == Self.cardsPerRequest { throw refusal.error }
        try await cache.keep(batch.cards, in: book.path, since: local.token)
        try await cache.keepWanted(batch.refusals.map(\.path), in: book.path)
        for card in batch.cards { local.cards[card.path] = LocalBook.Card(card) }
        for (path, error) in batch.refusals {
            local.cards[path] = LocalBook.Card(refused: path, error.sentence, before: local.cards[path])
        }
        return batch.gone
    }

    // MARK: Asking

    /// What to fetch and remove; nil if the server says that nothing has changed and no card is still wanted.
    func plan(for local: LocalBook) async throws -> BookSyncPlan? {
        let known = local.cards.mapValues(\.etag)
        if let token = local.token, token == book.token {
            let plan = BookSyncPlan([:], isAll: false, known: known, token: token)
            return plan.toFetch.isEmpty ? nil : plan
        }
        if book.syncs {
            // If the server no longer accepts the token, ask again with the empty one, which lists everything.
            let tokens = local.token.map { $0.isEmpty ? [""] : [$0, ""] } ?? [""]
            for token in tokens {
                do {
                    let listing = try await account.changes(in: url, since: token)
                    return BookSyncPlan(listing.tags, isAll: token.isEmpty, known: known, token: listing.token)
                } catch let error as KithError where DAVConnection.mayHelpToAskOtherwise(error) {
                    continue
                }
            }
        }
        return BookSyncPlan(try await account.cards(in: url).tags, isAll: true, known: known, token: book.token)
    }

    // MARK: Fetching

    /// The answers for the cards of one request.
    private struct Batch: Sendable {
        var cards: [CardCache.StoredCard] = []
        var gone: [String] = []
        /// The cards that the server did not return, and why.
        var refusals: [(path: String, error: KithError)] = []

        var isEmpty: Bool { cards.isEmpty && gone.isEmpty }

        /// Marks every path without an answer as refused.
        mutating func refuse(restOf paths: ArraySlice<String>, _ error: KithError) {
            let known = Set(cards.map(\.path) + gone + refusals.map(\.path))
            refusals += paths.filter { !known.contains($0) }.map { ($0, error) }
        }
    }

    /// The answers so far to one request and the smaller ones that it is split into.
    private final class CollectedAnswers: Sendable {
        private let batch = Mutex(Batch())

        var now: Batch { batch.withLock { $0 } }

        func add(_ change: (inout Batch) -> Void) { batch.withLock { change(&$0) } }
    }

    /// The cards of one request, or why there are none. Cards that have not arrived at the deadline count as refused.
    private func answer(to paths: ArraySlice<String>, tags: [String: String]) async -> Result<Batch, any Error> {
        let collected = CollectedAnswers()
        let isOver = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            group.addTask {
                do {
                    try await fetch(paths, tags: tags, into: collected)
                    return .success(true)
                } catch { return .failure(error) }
            }
            group.addTask {
                try? await clock.sleep(for: Self.deadline)
                return .success(false)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .success(false)
        }
        return isOver.flatMap { isOver in
            var batch = collected.now
            if isOver { return .success(batch) }
            let error = KithError(unreachable: url, DAVTooSlow(cause: DAVDeadlinePassed()))
            if batch.isEmpty { return .failure(Task.isCancelled ? CancellationError() : error) }
            batch.refuse(restOf: paths, error)
            return .success(batch)
        }
    }

    /// Fetches the cards at these paths.
    ///
    /// If the answer is too long, too slow or not well-formed XML, each half of the paths is requested separately: one
    /// card with a stray control character spoils the XML of all. A card that the answer lacks is requested alone, with
    /// a GET that returns its bytes unchanged.
    private func fetch(
        _ paths: ArraySlice<String>, tags: [String: String], into collected: CollectedAnswers
    ) async throws {
        if paths.count == 1, let path = paths.first { return try await fetchAlone(path, tags: tags, into: collected) }
        let answers: [String: CardDAVAccount.Answer]
        do {
            answers = try await account.multiget(Array(paths), in: url)
        } catch let error as KithError where DAVConnection.mayHelpToAskForLess(error) {
            let middle = paths.startIndex + paths.count / 2
            try await fetch(paths[..<middle], tags: tags, into: collected)
            return try await fetch(paths[middle...], tags: tags, into: collected)
        }
        for path in paths {
            switch answers[path] {
            case .card(let card): collected.add { $0.cards.append(stored(card, at: path, tags: tags)) }
            case .gone: collected.add { $0.gone.append(path) }
            case nil: try await fetchAlone(path, tags: tags, into: collected)
            }
        }
    }

    private func fetchAlone(_ path: String, tags: [String: String], into collected: CollectedAnswers) async throws {
        do {
            switch try await account.card(at: path, in: url) {
            case .card(let card): collected.add { $0.cards.append(stored(card, at: path, tags: tags)) }
            case .gone: collected.add { $0.gone.append(path) }
            }
        } catch let error as KithError where error.code == .tooMany {
            // Stored without bytes. This shows as a fault, and the card is not fetched again until it changes.
            collected.add { $0.cards.append(stored(CardDAVAccount.Card(bytes: []), at: path, tags: tags)) }
        } catch let error as KithError where DAVConnection.isOfOneResource(error) || error.cause is DAVTooSlow {
            collected.add { $0.refusals.append((path, error)) }
        }
    }

    /// Prefers the listing's tag, because the next listing is compared with it; a server may send a different tag
    /// elsewhere.
    private func stored(_ card: CardDAVAccount.Card, at path: String, tags: [String: String]) -> CardCache.StoredCard {
        CardCache.StoredCard(book: book.path, path: path, etag: tags[path] ?? card.etag, bytes: card.bytes)
    }
}

/// The reason for giving up a request and the smaller ones that it was split into.
private struct DAVDeadlinePassed: Error {}
