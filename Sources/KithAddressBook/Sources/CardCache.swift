import Foundation
import GRDB

/// The cards of accounts, kept on the device: read at once at the start, and where there is no network.
///
/// A book's sync token is written in the transaction that makes its cards what the token says. Cards that come in
/// before it are kept as they come: a first load that breaks off goes on where it was.
struct CardCache: Sendable {
    /// One address book of an account, and how far it was read.
    struct StoredBook: Hashable {
        let path: String
        /// The server's sync token (RFC 6578), or its tag where it has none: what it says while nothing changes.
        let token: String
    }

    /// A card as the server gave it.
    struct StoredCard: Hashable {
        /// The path of its book.
        let book: String
        let path: String
        /// The server's entity tag; ``wantedTag`` while the server did not give the card, which is then as it was before, or
        /// empty.
        let etag: String
        let bytes: [UInt8]

        /// No server's tag: those stand in quotes.
        static let wantedTag = "?"
    }

    let database: BookDatabase
    /// The source whose cards these are.
    let source: String

    /// The books that were read to their end.
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

    /// A card as it was last read; nil if there is none.
    func card(_ path: String) async throws -> StoredCard? {
        try await database.read { db in
            let sql = "SELECT book, path, etag, bytes FROM cachedCard WHERE source = ? AND path = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [source, path]).map(StoredCard.init)
        }
    }

    /// Keeps cards, in place of what they were before.
    func keep(_ cards: [StoredCard]) async throws {
        try await database.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO cachedCard (source, book, path, etag, bytes) VALUES (?, ?, ?, ?, ?)")
            for card in cards {
                try statement.execute(arguments: [source, card.book, card.path, card.etag, Data(card.bytes)])
            }
        }
    }

    /// Notes that the server did not give these cards. What was kept of them stays.
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

    /// Notes that the book is as `token` says, without the cards at `removed`.
    func finish(_ book: String, token: String, removed: [String]) async throws {
        try await database.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM cachedCard WHERE source = ? AND path = ?")
            for path in removed { try statement.execute(arguments: [source, path]) }
            try db.execute(
                sql: "INSERT OR REPLACE INTO cachedBook (source, path, token) VALUES (?, ?, ?)",
                arguments: [source, book, token])
        }
    }

    /// Forgets a book that the account no longer has; all of the source if nil.
    func forget(_ book: String? = nil) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM cachedCard WHERE source = :source AND (:book IS NULL OR book = :book)",
                arguments: ["source": source, "book": book])
            try db.execute(
                sql: "DELETE FROM cachedBook WHERE source = :source AND (:book IS NULL OR path = :book)",
                arguments: ["source": source, "book": book])
        }
    }
}

extension CardCache.StoredCard {
    fileprivate init(_ row: Row) {
        self.init(book: row[0], path: row[1], etag: row[2], bytes: [UInt8](row[3] as Data))
    }
}
