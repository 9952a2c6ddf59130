import Foundation
import KithModel

/// Named values about the whole database.
enum Meta {
    /// The table.
    static let table = "meta"
    static let versionName = "version"
    /// The oldest version of a program that may use the database: see ``StoredVersion``.
    static let oldestName = "oldest"
    static let epochName = "epoch"
    static let incarnationName = "incarnation"
    static let serverName = "server"
    /// When a server has last trusted its clock: see ``TrustedClock``.
    static let clockName = "clock"
    /// The server from which an unfinished copy comes: see ``DatabaseCopy``.
    static let copyName = "copy"

    /// Whether a database in PostgreSQL has the table. A query of a missing table would fail the transaction.
    static func isThere(in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM pg_class WHERE oid = to_regclass('\(table)')")
    }

    static func value(_ name: String, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT value FROM meta WHERE name = ?", [.text(name)]).first?.text(0)
    }

    static func epoch(in transaction: any Transaction) throws -> String {
        try value(epochName, in: transaction) ?? ""
    }

    /// Announces a new epoch, and returns it.
    @discardableResult static func renewEpoch(
        _ random: RandomBytes, in transaction: any Transaction
    ) throws -> String {
        let epoch = random.bytes(16).base64URL
        try set(epochName, to: epoch, in: transaction)
        return epoch
    }

    static func server(in transaction: any Transaction) throws -> ServerID? {
        try value(serverName, in: transaction).flatMap { ServerID($0) }
    }

    /// The server's id. It is created and stored if there is none yet.
    static func findOrCreateServer(
        at now: Timestamp, _ random: RandomBytes, in transaction: any Transaction
    ) throws -> ServerID {
        if let server = try server(in: transaction) { return server }
        let new = ServerID(at: now, random: random)
        return ServerID(try insertIfMissing(serverName, new.description, in: transaction)) ?? new
    }

    /// A secret key; nil if it was not created yet.
    static func key(_ name: String, in transaction: any Transaction) throws -> Data? {
        try value(name, in: transaction).flatMap { Data(base64URL: $0) }
    }

    /// A secret key. It is created and stored when it is first needed.
    static func findOrCreateKey(
        _ name: String, _ random: RandomBytes, in transaction: any Transaction
    ) throws -> Data {
        if let key = try key(name, in: transaction) { return key }
        let new = random.bytes()
        return Data(base64URL: try insertIfMissing(name, new.base64URL, in: transaction)) ?? new
    }

    /// Stores a value that is created once.
    ///
    /// - Returns: The stored value. If two transactions create it at the same time, both get that of the first.
    private static func insertIfMissing(
        _ name: String, _ value: String, in transaction: any Transaction
    ) throws -> String {
        let isNew = try transaction.changes(
            "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING name",
            [.text(name), .text(value)])
        return try isNew ? value : self.value(name, in: transaction) ?? value
    }

    static func set(_ name: String, to value: String, in transaction: any Transaction) throws {
        try transaction.insert(into: table, ["name", "value"], [[.text(name), .text(value)]], replacing: ["name"])
    }
}
