import Foundation
import KithCards

/// An account book on the device, with its cards parsed.
struct LocalBook: Sendable {
    /// A card, and the entity tag of the version that the device has.
    struct Card: Sendable {
        let etag: String
        let holding: CardHolding
        /// The reason why the server did not return the card at the last request; `holding` is then an older version.
        let refusal: SourceFault?

        var faults: SourceFaults { refusal.map { [$0] } ?? holding.faults }
    }

    let path: String
    /// The token that the server returns while nothing changes; nil until the book has been read completely once.
    var token: String?
    var cards: [String: Card] = [:]

    init(path: String, token: String? = nil) { (self.path, self.token) = (path, token) }

    /// How many cards are read from the cache at once.
    private static let page = 1_000

    /// The books in the cache, including those that have not been read completely.
    @concurrent
    static func read(from cache: CardCache) async throws -> [String: LocalBook] {
        var books: [String: LocalBook] = [:]
        // The tokens first: another process may store cards meanwhile, which are then newer than the token says.
        for stored in try await cache.books() {
            books[stored.path] = LocalBook(path: stored.path, token: stored.token)
        }
        try await withThrowingTaskGroup(of: [(book: String, path: String, card: Card)].self) { group in
            var last = ""
            while case let page = try await cache.cards(after: last, limit: page), let end = page.last {
                last = end.path
                group.addTask { page.map { ($0.book, $0.path, Card($0)) } }
            }
            for try await page in group {
                for (book, path, card) in page { books[book, default: LocalBook(path: book)].cards[path] = card }
            }
        }
        return books
    }
}

extension LocalBook.Card {
    init(_ stored: CardCache.StoredCard) {
        let holding = CardHolding(CardBatch(stored.bytes), at: stored.path)
        guard stored.etag == CardCache.StoredCard.wantedTag else {
            self.init(etag: stored.etag, holding: holding, refusal: nil)
            return
        }
        self.init(refused: stored.path, "The server did not give it when it was last asked.", holding: holding)
    }

    /// A card that the server did not return, for the reason in `sentence`. Keeps the cards of the earlier version.
    init(refused path: String, _ sentence: String, before: LocalBook.Card?) {
        self.init(refused: path, sentence, holding: before?.holding ?? CardHolding(CardBatch([]), at: path))
    }

    private init(refused path: String, _ sentence: String, holding: CardHolding) {
        self.init(
            etag: CardCache.StoredCard.wantedTag, holding: holding,
            refusal: SourceFault(
                line: 1, sentence + " It is asked for again at the next load.", in: CardHolding.name(at: path)))
    }
}

extension CardHolding {
    /// The cards at an address of an account.
    init(_ batch: CardBatch, at path: String) {
        self.init([batch], reference: path, separator: "#", name: Self.name(at: path))
    }

    /// A readable name for an address of an account: its path without percent encoding.
    static func name(at path: String) -> String { path.removingPercentEncoding ?? path }
}

extension SourceContents {
    /// The contents of the books with the waiting edits applied, in the order of the paths in each book, then the cards of
    /// waiting edits that are in no book. An edit that the server did not take is a fault.
    ///
    /// - Parameters:
    ///   - books: The books on the device.
    ///   - waiting: The edits, oldest first.
    ///   - faults: What else could not be read.
    init(_ books: [LocalBook], edits waiting: [CardEdit], faults: SourceFaults = []) {
        self.init(entries: [], faults: faults)
        unsent = waiting.map(\.unsent)
        let edits = Dictionary(waiting.map { ($0.path, $0) }) { _, last in last }
        for book in books {
            for (path, card) in book.cards.sorted(by: { $0.key < $1.key }) {
                if let edit = edits[path], edit.refusal == nil {
                    if let edited = edit.edited {
                        entries.append(Entry(reference: edit.reference, edited))
                    }
                    continue
                }
                entries += card.holding.entries
                self.faults.append(card.faults)
            }
        }
        for edit in waiting.sorted(by: { $0.path < $1.path }) {
            if let fault = edit.fault(in: CardHolding.name(at: edit.path)) { self.faults.append(fault) }
            if edit.refusal == nil, let edited = edit.edited, !books.contains(where: { $0.cards[edit.path] != nil }) {
                // The server no longer has the card. The edit is not lost, so it is shown.
                entries.append(Entry(reference: edit.reference, edited))
            }
        }
    }
}
