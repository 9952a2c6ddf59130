import Foundation
import KithModel

/// Brings one account book up to date: asks what has changed, plans; then fetches, and keeps.
struct BookSync: Sendable {
    let account: CardDAVAccount
    let cache: CardCache
    let book: RemoteBook
    /// An address on the book's server.
    let place: URL

    /// How many cards one request asks for.
    static let cardsPerRequest = 100

    private var url: URL { place.at(path: book.path) }

    /// Carries out a plan, and says how many cards have been fetched each time that some have.
    func carryOut(_ plan: BookSyncPlan, in local: inout LocalBook, _ fetched: (Int) -> Void) async throws {
        var removed = plan.toRemove
        var done = 0
        while done < plan.toFetch.count {
            try Task.checkCancellation()
            let paths = plan.toFetch[done..<min(done + Self.cardsPerRequest, plan.toFetch.count)]
            let cards = try await fetch(paths, tags: plan.tags)
            try await cache.keep(cards)
            for card in cards { local.cards[card.path] = LocalBook.Card(card) }
            // What was there a moment ago is gone.
            removed += Set(paths).subtracting(cards.map(\.path))
            done += paths.count
            fetched(paths.count)
        }
        try await cache.finish(book.path, token: plan.token, removed: removed)
        for path in removed { local.cards[path] = nil }
        local.token = plan.token
    }

    // MARK: Asking

    /// What is to be done; nil if the server says that nothing has changed.
    func plan(for local: LocalBook) async throws -> BookSyncPlan? {
        if let token = local.token, token == book.token { return nil }
        let known = local.cards.mapValues(\.etag)
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

    /// The cards at these paths; those that are gone are left out.
    ///
    /// What is too long an answer together is asked for in halves, and so is what makes an answer that is no XML: one
    /// card with a stray control character spoils it for all. Alone, a card comes as it is.
    private func fetch(_ paths: ArraySlice<String>, tags: [String: String]) async throws -> [CardCache.StoredCard] {
        func stored(_ card: (path: String, bytes: [UInt8])) -> CardCache.StoredCard {
            CardCache.StoredCard(book: book.path, path: card.path, etag: tags[card.path] ?? "", bytes: card.bytes)
        }
        do {
            if paths.count == 1, let path = paths.first {
                return try await account.card(at: path, in: url).map { [stored((path, $0))] } ?? []
            }
            return try await account.multiget(Array(paths), in: url).filter { tags[$0.path] != nil }.map(stored)
        } catch let error as KithError where [.tooMany, .malformed].contains(error.code) {
            guard paths.count > 1 else {
                // Kept empty, which is a fault to be told of, and not fetched again until it changes.
                return paths.map { stored(($0, [])) }
            }
            let middle = paths.startIndex + paths.count / 2
            return try await fetch(paths[..<middle], tags: tags) + fetch(paths[middle...], tags: tags)
        }
    }
}
