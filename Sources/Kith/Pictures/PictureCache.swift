import Foundation
import GRDB
import KithModel

/// The pictures that an account has on this device, by their SHA-256 hash: pictures that it has viewed, and its own.
struct PictureCache {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private var db: Database { store.db }
    private var account: StoreKey { store.key }

    /// A picture of mine that the server does not have yet.
    struct Unsent: Sendable {
        let hash: String
        let bytes: Data
    }

    func bytes(_ hash: String) throws -> Data? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT bytes FROM picture WHERE account = ? AND hash = ?"),
            arguments: [account, hash])
    }

    private func has(_ hash: String) throws -> Bool {
        try db.exists("SELECT 1 FROM picture WHERE account = ? AND hash = ?", [account, hash])
    }

    /// Whether the stored time of the last use is so old that a new use must be stored.
    func isUseStale(_ hash: String, at now: Timestamp) throws -> Bool {
        let used = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT used FROM picture WHERE account = ? AND hash = ?"),
            arguments: [account, hash])
        return used.map { Timestamp(milliseconds: $0) + Self.useStep < now } ?? false
    }

    /// The precision of the stored time of last use. Showing a picture again within this time writes nothing.
    private static let useStep = Duration.seconds(3600)

    func noteUse(_ hash: String, at now: Timestamp) throws {
        try db.cachedStatement(sql: "UPDATE picture SET used = ? WHERE account = ? AND hash = ?")
            .execute(arguments: [now.milliseconds, account, hash])
    }

    /// Stores a picture. While all pictures together exceed `limit` bytes, the least recently used ones are deleted.
    ///
    /// My own pictures that are not sent yet, or whose edit waits or was rejected, are never deleted.
    func save(_ bytes: Data, _ hash: String, isUnsent: Bool = false, at now: Timestamp, limit: Int) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO picture (account, hash, bytes, size, used, isUnsent) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET used = excluded.used, isUnsent = max(isUnsent, excluded.isUnsent)
                """
        ).execute(arguments: [account, hash, bytes, bytes.count, now.milliseconds, isUnsent])
        var size =
            try Int.fetchOne(
                db.cachedStatement(sql: "SELECT sum(size) FROM picture WHERE account = ?"), arguments: [account]) ?? 0
        guard size > limit else { return }
        let oldest = try Row.fetchAll(
            db,
            sql: "SELECT hash, size FROM picture WHERE account = ? AND NOT isUnsent AND hash <> ? ORDER BY used, hash",
            arguments: [account, hash])
        for row in oldest where size > limit {
            let hash: String = row[0]
            guard try !isInEdit(hash) else { continue }
            try delete(hash)
            size -= row[1]
        }
    }

    /// Whether an edit of my profile that waits or was rejected names the picture, which the server may not have.
    private func isInEdit(_ hash: String) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM mutation WHERE account = ?1 AND record = ?3 AND taken IS NULL AND instr(change, ?2)
            UNION ALL
            SELECT 1 FROM rejection WHERE account = ?1 AND record = ?3 AND NOT isDismissed AND instr(change, ?2)
            """, [account, hash, RecordKey.profile.id])
    }

    /// Deletes those of the given pictures that neither a contact nor my profile shows, and that no edit names which waits or
    /// was rejected.
    func forgetUnshown(_ hashes: [String]) throws {
        for hash in hashes where try has(hash) && !isInEdit(hash) {
            try db.execute(
                sql: """
                    DELETE FROM picture WHERE account = ?1 AND hash = ?2 AND NOT isUnsent
                        AND NOT EXISTS (SELECT 1 FROM contact WHERE account = ?1 AND (pictureSmall = ?2 OR pictureLarge = ?2))
                        AND NOT EXISTS (SELECT 1 FROM profile WHERE account = ?1 AND (pictureSmall = ?2 OR pictureLarge = ?2))
                    """, arguments: [account, hash])
        }
    }

    func delete(_ hash: String) throws {
        try db.cachedStatement(sql: "DELETE FROM picture WHERE account = ? AND hash = ?").execute(arguments: [
            account, hash,
        ])
    }

    // MARK: My own

    func firstUnsent() throws -> Unsent? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT hash, bytes FROM picture WHERE account = ? AND isUnsent ORDER BY used LIMIT 1"),
            arguments: [account]
        ).map { Unsent(hash: $0[0], bytes: $0[1]) }
    }

    /// A picture that an edit of my profile names which the server has not acknowledged, and that is none of `others`.
    func firstUnacknowledged(besides others: Set<String>) throws -> Unsent? {
        for mutation in try store.outbox.unsent(of: .profile) {
            guard case .edit(let set, _) = mutation.change else { continue }
            for hash in PictureSize.allCases.compactMap({ set[$0.field]?.text }) where !others.contains(hash) {
                if let bytes = try bytes(hash) { return Unsent(hash: hash, bytes: bytes) }
            }
        }
        return nil
    }

    func noteSent(_ hash: String) throws {
        try db.cachedStatement(sql: "UPDATE picture SET isUnsent = 0 WHERE account = ? AND hash = ?")
            .execute(arguments: [account, hash])
        try forgetUnshown([hash])
    }

    /// The contacts that show a picture.
    func contacts(with hash: String) throws -> [AccountID] {
        try AccountID.fetchAll(
            db, sql: "SELECT id FROM contact WHERE account = ? AND (pictureSmall = ? OR pictureLarge = ?)",
            arguments: [account, hash, hash])
    }

    /// Copies my pictures to another account, which sends them.
    ///
    /// - Returns: Whether all of them are here. Otherwise nothing is copied.
    func move(_ hashes: [String], to other: StoreKey) throws -> Bool {
        for hash in hashes where try !has(hash) { return false }
        for hash in hashes {
            try db.execute(
                sql: """
                    INSERT INTO picture (account, hash, bytes, size, used, isUnsent)
                    SELECT ?, hash, bytes, size, used, 1 FROM picture WHERE account = ? AND hash = ?
                    ON CONFLICT DO UPDATE SET isUnsent = 1
                    """, arguments: [other, account, hash])
        }
        return true
    }
}
