import GRDB
import KithModel

/// Sessions that were ended on this device, but not yet on their servers.
///
/// Each row names a server that must be told. The token is in the credential store under the row's id.
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

    func remove(_ id: String) throws {
        try db.execute(sql: "DELETE FROM endedSession WHERE id = ?", arguments: [id])
    }
}
