import Foundation
import GRDB

/// The cards of accounts, cached on the device for the start and for use without a network.
///
/// A book's sync token is written in the same transaction that completes its cards. Cards that arrive before the token
/// are stored at once, so an interrupted first load continues where it stopped.
///
/// Several processes may load the same account. Each one stores what it has seen, but no token then claims more than the
/// cards show: it is empty, and the next load compares all cards with the server's list.
struct CardCache: Sendable {
    /// One address book of an account, with its sync state.
    struct StoredBook: Hashable {
        let path: String
        /// The server's sync token (RFC 6578), or its collection tag. It stays the same while nothing changes.
        let token: String
    }

    /// One resource of the server, which usually contains one card.
    struct StoredCard: Hashable {
        /// The path of its book.
        let book: String
        let path: String
        /// The server's entity tag. ``wantedTag`` if the server did not return the card at the last request; `bytes`
        /// are then an older version, or empty.
        let etag: String
        let bytes: [UInt8]

        /// Cannot be a server's tag, because those are quoted.
        static let wantedTag = "?"

        /// Whether the server returned the card, with a tag.
        var hasTag: Bool { !etag.isEmpty && etag != Self.wantedTag }
    }

    let database: BookDatabase
    /// The source that the cards belong to.
    let source: String

    /// The books that were read completely.
    func books() async throws -> [StoredBook] {
        try await database.read { db in
            let sql = "SELECT path, token FROM cachedBook WHERE source = ? ORDER BY path"
            return try Row.fetchAll(db, sql: sql, arguments: [source]).map { StoredBook(path: $0[0], token: $0[1]) }
        }
    }

    /// The next cards of the source, in the order of their paths.
    func cards(after path: String, limit: Int) async throws -> [StoredCard] {
        try await database.read { db in
            let sql = """
                SELECT book, path, etag, bytes FROM cachedCard WHERE source = ? AND path > ? ORDER BY path LIMIT ?
                """
            return try Row.fetchAll(db, sql: sql, arguments: [source, path, limit]).map(StoredCard.init)
        }
    }

    /// A cached card; nil if there is none.
    func card(_ path: String) async throws -> StoredCard? {
        try await database.read { db in
            let sql = "SELECT book, path, etag, bytes FROM cachedCard WHERE source = ? AND path = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [source, path]).map(StoredCard.init)
        }
    }

    /// Stores or replaces cards of a book, in a load that began with a sync token.
    ///
    /// If the book has another token now, another process has loaded it meanwhile, and these cards may be older. The book then
    /// has the empty token.
    func keep(_ cards: [StoredCard], in book: String, since token: String?) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE cachedBook SET token = '' WHERE source = ? AND path = ? AND token IS NOT ?",
                arguments: [source, book, token])
            try keep(cards, db)
        }
    }

    /// Stores or replaces cards, inside a transaction.
    func keep(_ cards: [StoredCard], _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO cachedCard (source, book, path, etag, bytes) VALUES (?, ?, ?, ?, ?)")
        for card in cards {
            try statement.execute(arguments: [source, card.book, card.path, card.etag, Data(card.bytes)])
        }
    }

    /// Removes cards, inside a transaction.
    func remove(_ paths: [String], _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM cachedCard WHERE source = ? AND path = ?")
        for path in paths { try statement.execute(arguments: [source, path]) }
    }

    /// Notes that the server did not return these cards. Their cached content stays.
    func keepWanted(_ paths: [String], in book: String) async throws {
        if paths.isEmpty { return }
        try await database.write { db in
            let statement = try db.cachedStatement(
                sql: """
                    INSERT INTO cachedCard (source, book, path, etag, bytes) VALUES (?, ?, ?, ?, x'')
                        ON CONFLICT (source, path) DO UPDATE SET etag = excluded.etag
                    """)
            for path in paths { try statement.execute(arguments: [source, book, path, StoredCard.wantedTag]) }
        }
    }

    /// Removes the cards at `removed`, and stores the book's sync token. Returns false, and stores the empty token, if another
    /// process has changed the book since the load began with the token `before`: its cards, including those to remove, then
    /// have other paths or entity tags than `tags`.
    func finish(
        _ book: String, token: String, since before: String?, tags: [String: String], removed: [String]
    ) async throws -> Bool {
        try await database.write { db in
            let stored = try String.fetchOne(
                db, sql: "SELECT token FROM cachedBook WHERE source = ? AND path = ?", arguments: [source, book])
            let isUnchanged = try stored == before && self.tags(of: book, db) == tags
            try remove(removed, db)
            try db.execute(
                sql: "INSERT OR REPLACE INTO cachedBook (source, path, token) VALUES (?, ?, ?)",
                arguments: [source, book, isUnchanged ? token : ""])
            return isUnchanged
        }
    }

    private func tags(of book: String, _ db: Database) throws -> [String: String] {
        let sql = "SELECT path, etag FROM cachedCard WHERE source = ? AND book = ?"
        let rows = try Row.fetchAll(db, sql: sql, arguments: [source, book])
        return Dictionary(rows.map { ($0[0] as String, $0[1] as String) }) { first, _ in first }
    }

    /// Removes a book that the account no longer has. If nil, removes all books of the source and its waiting edits.
    func forget(_ book: String? = nil) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM cachedCard WHERE source = :source AND (:book IS NULL OR book = :book)",
                arguments: ["source": source, "book": book])
            try db.execute(
                sql: "DELETE FROM cachedBook WHERE source = :source AND (:book IS NULL OR path = :book)",
                arguments: ["source": source, "book": book])
            if book == nil {
                try db.execute(sql: "DELETE FROM waitingEdit WHERE source = ?", arguments: [source])
            }
        }
    }
}

extension CardCache.StoredCard {
    fileprivate init(_ row: Row) {
        self.init(book: row[0], path: row[1], etag: row[2], bytes: [UInt8](row[3] as Data))
    }
}
