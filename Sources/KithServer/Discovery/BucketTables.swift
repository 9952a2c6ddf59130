import KithModel
import Synchronization

/// The tables of all keys. Their sequences keep them in sync with the database.
///
/// If a request needs more than a table contains, the rest is read first. Other requests in the meantime wait for the
/// same read.
final class BucketTables: Sendable {
    private struct State {
        var tables: [String: BucketTable] = [:]
        var readings: [String: Task<BucketTable, any Error>] = [:]
    }

    private let database: any Database
    private let state = Mutex(State())

    init(_ database: any Database) { self.database = database }

    /// The table of a key, with all its rows up to a sequence.
    func table(of key: String, through sequence: Int64) async throws -> BucketTable {
        while true {
            let (table, reading) = state.withLock { state -> (BucketTable?, Task<BucketTable, any Error>?) in
                let table = state.tables[key]
                if let table, table.sequence >= sequence { return (table, nil) }
                if let reading = state.readings[key] { return (nil, reading) }
                let reading = Task { try await self.read(key, onto: table) }
                state.readings[key] = reading
                return (nil, reading)
            }
            if let table { return table }
            guard let table = try await reading?.value, table.sequence >= sequence else { continue }
            return table
        }
    }

    /// Removes the tables of all keys except `keys`.
    func keep(_ keys: Set<String>) {
        state.withLock { state in state.tables = state.tables.filter { keys.contains($0.key) } }
    }

    private func read(_ key: String, onto before: BucketTable?) async throws -> BucketTable {
        defer { state.withLock { $0.readings[key] = nil } }
        let table = try await database.read { transaction in
            // All rows come from one snapshot, so no row occurs twice.
            let row = try transaction.query(
                "SELECT sequence, horizon FROM discovery_key WHERE id = ?", [.text(key)]
            ).first
            guard let row else {
                throw ServerError.keyExpired()
            }
            // A table from before the horizon lacks the removal of purged rows, for example those of a key that was lost.
            let horizon = try row.integer(1)
            var table = before.flatMap { $0.sequence < horizon ? nil : $0 } ?? BucketTable()
            try table.read(key, through: try row.integer(0), in: transaction)
            return table
        }
        state.withLock { state in
            if state.tables[key].map({ $0.sequence <= table.sequence }) ?? true { state.tables[key] = table }
        }
        return table
    }
}

extension BucketTable {
    /// The number of rows of one query. More rows would need more memory, fewer rows more queries.
    private static let page = 10_000

    fileprivate mutating func read(_ key: String, through: Int64, in transaction: any Transaction) throws {
        let isFirst = sequence == 0
        var (first, reached) = ([Row](), sequence)
        while reached < through {
            let rows = try transaction.query(
                """
                SELECT prefix, tag, masked, sequence, gone FROM evaluation
                WHERE discovery_key = ? AND sequence > ? ORDER BY sequence LIMIT ?
                """, [.text(key), .integer(reached), .integer(Int64(Self.page))]
            ).map(Self.row)
            if isFirst { first += rows } else { for row in rows { put(row) } }
            reached = rows.count < Self.page ? through : rows[rows.count - 1].sequence
        }
        if isFirst { fill(first, through: through) } else { note(through) }
    }

    private static func row(_ row: SQLRow) throws -> Row {
        guard let account = MaskedAccount(row.values[2]) else {
            throw ServerError(.internalError, "A stored evaluation cannot be read.")
        }
        return Row(
            prefix: UInt64(bitPattern: try row.integer(0)), tag: UInt64(bitPattern: try row.integer(1)),
            account: account, sequence: try row.integer(3), isGone: try row.flag(4))
    }
}

extension ServerError {
    /// The error for a key that the server no longer serves.
    static func keyExpired(path: String? = nil) -> ServerError {
        ServerError(.keyExpired, "The key is no longer served. Ask for the description again.", path: path)
    }
}
