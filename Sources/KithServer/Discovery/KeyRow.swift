import Foundation
import KithModel

/// The data of a key in the database: everything except its secret.
struct KeyRow: Hashable, Sendable {
    let id: String
    /// When it became the current key; nil while it is being prepared.
    var currentSince: Timestamp?
    /// When it stops being served; nil if no later key has replaced it.
    var ends: Timestamp?
    /// The newest sequence.
    var sequence: Int64
    /// The newest sequence of a purged entry. A device that has read less must read everything again.
    var horizon: Int64
    /// The last identity that was evaluated during the preparation of the key.
    var reached: String

    /// Whether devices can use it.
    func isServed(at now: Timestamp) -> Bool { currentSince != nil && !hasEnded(at: now) }

    /// Whether it is the current key, or an earlier one, so that devices may have used it.
    var wasCurrent: Bool { currentSince != nil }

    /// Whether it is not served any more. Its row stays, so that a server that still has the secret does not take it for a
    /// new key.
    func hasEnded(at now: Timestamp) -> Bool { ends.map { $0 <= now } ?? false }

    /// All keys, the current one first, then the earlier ones.
    static func all(in transaction: any Transaction) throws -> [KeyRow] {
        let rows = try transaction.query(
            "SELECT id, current_since, ends, sequence, horizon, reached FROM discovery_key ORDER BY id")
        return try rows.map { row in
            KeyRow(
                id: try row.text(0), currentSince: try row.optionalTime(1), ends: try row.optionalTime(2),
                sequence: try row.integer(3), horizon: try row.integer(4), reached: try row.text(5))
        }.sorted { left, right in
            (left.ends == nil ? 0 : 1, right.currentSince?.milliseconds ?? 0)
                < (right.ends == nil ? 0 : 1, left.currentSince?.milliseconds ?? 0)
        }
    }

    /// Stores the keys of the file that the database does not know.
    ///
    /// The very first key becomes the current key immediately if nobody is discoverable yet.
    ///
    /// A key can come back after its row was deleted. Its sequences therefore begin at the current time in microseconds:
    /// after all that devices have read before.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the file lacks the current key, and other nodes run, which have
    ///   it: this is not their file.
    static func insertMissing(_ keys: [DiscoveryKey], at now: Timestamp, in transaction: any Transaction) throws {
        var known = Set(try all(in: transaction).map(\.id))
        if keys.allSatisfy({ known.contains($0.id) }) { return }
        // Several nodes can read a new key at the same time.
        try transaction.lockName(Data("discovery keys".utf8))
        let rows = try all(in: transaction)
        known = Set(rows.map(\.id))
        let new = keys.filter { !known.contains($0.id) }
        if new.isEmpty { return }
        if let current = rows.first(where: { $0.currentSince != nil && $0.ends == nil }),
            !keys.contains(where: { $0.id == current.id }), try RunningNodes.count(in: transaction) > 1
        {
            throw ServerError.lacksKey(current.id)
        }
        // Who registers an identity without these keys either has committed it before, or sees the rows.
        if let statement = transaction.dialect.stoppingWriters(of: "identity") { try transaction.execute(statement) }
        let start = now.milliseconds * 1_000
        let isFirst = try known.isEmpty && !transaction.exists("SELECT 1 FROM identity LIMIT 1")
        try transaction.insert(
            into: "discovery_key", ["id", "current_since", "ends", "sequence", "horizon", "reached"],
            new.enumerated().map { index, key in
                let isCurrent = isFirst && index == new.count - 1
                return [
                    .text(key.id), isCurrent ? .time(now) : .null, .null, .integer(start), .integer(start), .text(""),
                ]
            })
    }

    /// Checks that there are the secrets of all keys, which a change of an identity needs.
    ///
    /// With SQLite, all processes use one file, which was read within this transaction, and no other process writes until it
    /// ends. If a secret is missing, the change cannot be made under its key. So the key ends, and is not used even if its
    /// secret comes back. With PostgreSQL, another node may have the secret.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if one is missing, and another node may have it.
    static func require(_ keys: [DiscoveryKey], at now: Timestamp, in transaction: any Transaction) throws {
        let names = Set(keys.map(\.id))
        for row in try all(in: transaction) where !names.contains(row.id) && !row.hasEnded(at: now) {
            if transaction.dialect.hasSeveralWriters { throw ServerError.lacksKey(row.id) }
            try transaction.execute(
                "UPDATE discovery_key SET ends = ? WHERE id = ?", [.time(now), .text(row.id)])
        }
    }
}

extension ServerError {
    /// The file of this server lacks the secret of a key that other servers use.
    static func lacksKey(_ id: String) -> ServerError {
        ServerError(
            .busy,
            "This server's file of discovery keys lacks the key \(id), which other servers use. Copy their file to it.",
            retryAfter: .seconds(60))
    }
}
