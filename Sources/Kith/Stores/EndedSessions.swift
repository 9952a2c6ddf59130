import GRDB
import KithModel

/// Sessions that were ended on this device, but not yet on their servers.
///
/// Each row names a server that must be told. The token is in the credential store under the row's id. `ended` is the time of the
/// end. While the server is being told, it is negative: the time when that began.
struct EndedSessions {
    let db: Database

    struct Row {
        let id: String
        let home: ServerIdentity
    }

    /// The maximum number of log-outs that wait to be sent. Beyond it, the oldest are dropped together with their
    /// tokens.
    static let most = 100

    /// Adds an ended session.
    ///
    /// - Returns: The ids of the sessions that were dropped to make room.
    func add(_ id: String, on home: ServerIdentity, at now: Timestamp) throws -> [String] {
        try db.execute(
            sql: "INSERT INTO endedSession (id, server, address, ended) VALUES (?, ?, ?, ?)",
            arguments: [id, home.id, home.address, now.milliseconds])
        let forgotten = try String.fetchAll(
            db, sql: "SELECT id FROM endedSession ORDER BY ended DESC, id DESC LIMIT -1 OFFSET ?",
            arguments: [Self.most])
        for id in forgotten { try remove(id) }
        return forgotten
    }

    func all() throws -> [Row] {
        try GRDB.Row.fetchAll(db, sql: "SELECT id, server, address FROM endedSession ORDER BY ended, id").map {
            Row(id: $0[0], home: ServerIdentity(id: $0[1], address: $0[2]))
        }
    }

    /// How long the server counts as being told, in milliseconds. A request ends sooner, unless its process was killed.
    private static let telling: Int64 = 120_000

    func contains(_ id: String) throws -> Bool { try db.exists("SELECT 1 FROM endedSession WHERE id = ?", [id]) }

    /// Marks that the server is being told.
    ///
    /// - Returns: Whether the row is there. Otherwise its session is used again.
    func beginTelling(_ id: String, at now: Timestamp) throws -> Bool {
        try db.execute(sql: "UPDATE endedSession SET ended = ? WHERE id = ?", arguments: [-now.milliseconds, id])
        return db.changesCount > 0
    }

    /// Removes the mark, if the server could not be told.
    func endTelling(_ id: String) throws {
        try db.execute(sql: "UPDATE endedSession SET ended = abs(ended) WHERE id = ?", arguments: [id])
    }

    /// Whether the server is being told.
    func isBeingTold(_ id: String, at now: Timestamp) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM endedSession WHERE id = ? AND ended < 0 AND abs(ended + ?) < ?",
            [id, now.milliseconds, Self.telling])
    }

    func remove(_ id: String) throws {
        try db.execute(sql: "DELETE FROM endedSession WHERE id = ?", arguments: [id])
    }
}
