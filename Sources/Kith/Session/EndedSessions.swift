import GRDB
import KithModel

/// Sessions that were ended on this device, and whose servers have not heard of it.
///
/// A row says which server is to be told; the token is in the credential store, under the row's id.
struct EndedSessions {
    let db: Database

    struct Row {
        let id: String
        let home: ServerIdentity
    }

    /// So many log-outs wait to be told at the most. The oldest are forgotten: nobody has their tokens any more.
    static let most = 100

    /// Notes that a session is over.
    ///
    /// - Returns: The ids of those that are forgotten for it.
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
