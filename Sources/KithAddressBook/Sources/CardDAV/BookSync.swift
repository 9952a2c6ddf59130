import Foundation
import Kith
import KithCards
import Synchronization

/// Brings one account book up to date: asks what has changed, plans; then fetches, and keeps.
package struct BookSync: Sendable {
    let account: CardDAVAccount
    let cache: CardCache
    let clock: any Clock<Duration>
    let book: RemoteBook
    /// An address on the book's server.
    let place: URL

    /// How many cards one request asks for.
    static let cardsPerRequest = 100

    /// How long one such request may take, with all that it is parted into: a server may let each part drip.
    package static let deadline = Duration.seconds(15 * 60)

    private var url: URL { place.at(path: book.path) }

    /// How many such requests are under way at once.
    static let requestsAtOnce = 4

    /// Carries out a plan, and says how many cards have been fetched each time that some have.
    ///
    /// A card that the server does not give keeps what the device has of it, and is wanted again at the next load: the
    /// sync token would never speak of it again. If a request fails, what the others fetch is kept.
    ///
    /// - Throws: ``KithError``, also if the server gives none of all the cards that one request asks for: then it is not
    ///   the cards.
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
                // In the order of the paths, so that progress and the cache grow the same way each time.
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
        try await cache.finish(book.path, token: plan.token, removed: removed)
        for path in removed { local.cards[path] = nil }
        local.token = plan.token
    }

    /// Keeps what came of one request.
    ///
    /// - Returns: The paths of the cards that are gone.
    private func keep(_ batch: Batch, in local: inout LocalBook) async throws -> [String] {
        if let refusal = batch.refusals.first, batch.refusals.count == Self.cardsPerRequest { throw refusal.error }
        try await cache.keep(batch.cards)
        try await cache.keepWanted(batch.refusals.map(\.path), in: book.path)
        for card in batch.cards { local.cards[card.path] = LocalBook.Card(card) }
        for (path, error) in batch.refusals {
            local.cards[path] = LocalBook.Card(refused: path, error.sentence, before: local.cards[path])
        }
        return batch.gone
    }

    // MARK: Asking

    /// What is to be done; nil if the server says that nothing has changed, and nothing is wanted still.
    func plan(for local: LocalBook) async throws -> BookSyncPlan? {
        let known = local.cards.mapValues(\.etag)
        if let token = local.token, token == book.token {
            let plan = BookSyncPlan([:], isAll: false, known: known, token: token)
            return plan.toFetch.isEmpty ? nil : plan
        }
        if book.syncs {
            // A token that the server has forgotten is no reason to give up: the empty one asks for everything.
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

    /// What became of cards that were asked for.
    private struct Batch: Sendable {
        var cards: [CardCache.StoredCard] = []
        var gone: [String] = []
        /// The cards that the server does not give, and why.
        var refusals: [(path: String, error: KithError)] = []

        var isEmpty: Bool { cards.isEmpty && gone.isEmpty }

        /// What has not come of these is refused.
        mutating func refuse(restOf paths: ArraySlice<String>, _ error: KithError) {
            let known = Set(cards.map(\.path) + gone + refusals.map(\.path))
            refusals += paths.filter { !known.contains($0) }.map { ($0, error) }
        }
    }

    /// What one request and its parts have brought so far.
    private final class Gathering: Sendable {
        private let batch = Mutex(Batch())

        var now: Batch { batch.withLock { $0 } }

        func add(_ change: (inout Batch) -> Void) { batch.withLock { change(&$0) } }
    }

    /// The cards of one request, or why there are none. What has not come at the deadline is refused.
    private func answer(to paths: ArraySlice<String>, tags: [String: String]) async -> Result<Batch, any Error> {
        let gathering = Gathering()
        let isOver = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            group.addTask {
                do {
                    try await fetch(paths, tags: tags, into: gathering)
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
            var batch = gathering.now
            if isOver { return .success(batch) }
            let error = KithError(unreachable: url, DAVTooSlow(cause: DAVDeadlinePassed()))
            if batch.isEmpty { return .failure(Task.isCancelled ? CancellationError() : error) }
            batch.refuse(restOf: paths, error)
            return .success(batch)
        }
    }

    /// Fetches the cards at these paths.
    ///
    /// What is too long an answer together, or too slow, is asked for in halves, and so is what makes an answer that is no
    /// XML, or none: one card with a stray control character spoils it for all. What an answer lacks is asked for alone,
    /// where a card comes as it is.
    private func fetch(
        _ paths: ArraySlice<String>, tags: [String: String], into gathering: Gathering
    ) async throws {
        if paths.count == 1, let path = paths.first { return try await fetchAlone(path, tags: tags, into: gathering) }
        let answers: [String: CardDAVAccount.Answer]
        do {
            answers = try await account.multiget(Array(paths), in: url)
        } catch let error as KithError where DAVConnection.mayHelpToAskForLess(error) {
            let middle = paths.startIndex + paths.count / 2
            try await fetch(paths[..<middle], tags: tags, into: gathering)
            return try await fetch(paths[middle...], tags: tags, into: gathering)
        }
        for path in paths {
            switch answers[path] {
            case .card(let card): gathering.add { $0.cards.append(stored(card, at: path, tags: tags)) }
            case .gone: gathering.add { $0.gone.append(path) }
            case nil: try await fetchAlone(path, tags: tags, into: gathering)
            }
        }
    }

    private func fetchAlone(_ path: String, tags: [String: String], into gathering: Gathering) async throws {
        do {
            switch try await account.card(at: path, in: url) {
            case .card(let card): gathering.add { $0.cards.append(stored(card, at: path, tags: tags)) }
            case .gone: gathering.add { $0.gone.append(path) }
            }
        } catch let error as KithError where error.code == .tooMany {
            // Kept empty, which is a fault to be told of, and not fetched again until it changes.
            gathering.add { $0.cards.append(stored(CardDAVAccount.Card(bytes: []), at: path, tags: tags)) }
        } catch let error as KithError where DAVConnection.isOfOneResource(error) || error.cause is DAVTooSlow {
            gathering.add { $0.refusals.append((path, error)) }
        }
    }

    /// The listing's tag is the one that the next listing is held against; servers may write another one elsewhere.
    private func stored(_ card: CardDAVAccount.Card, at path: String, tags: [String: String]) -> CardCache.StoredCard {
        CardCache.StoredCard(book: book.path, path: path, etag: tags[path] ?? card.etag, bytes: card.bytes)
    }
}

/// Why a request and its parts were given up.
private struct DAVDeadlinePassed: Error {}
