import KithModel

/// Named values about the whole database.
enum Meta {
    static let versionName = "version"
    static let epochName = "epoch"
    static let incarnationName = "incarnation"
    static let serverName = "server"

    static func value(_ name: String, in transaction: any Transaction) throws -> String? {
        try transaction.query("SELECT value FROM meta WHERE name = ?", [.text(name)]).first?.text(0)
    }

    static func epoch(in transaction: any Transaction) throws -> String {
        try value(epochName, in: transaction) ?? ""
    }

    static func server(in transaction: any Transaction) throws -> ServerID? {
        try value(serverName, in: transaction).flatMap { ServerID($0) }
    }

    /// The server's id. It is created and stored if there is none yet.
    static func settleServer(
        at now: Timestamp, _ random: @escaping @Sendable () -> [UInt8], in transaction: any Transaction
    ) throws -> ServerID {
        if let server = try server(in: transaction) { return server }
        let server = ServerID(at: now, random: random)
        try set(serverName, to: server.description, in: transaction)
        return server
    }

    static func set(_ name: String, to value: String, in transaction: any Transaction) throws {
        try transaction.insert(into: "meta", ["name", "value"], [[.text(name), .text(value)]], replacing: ["name"])
    }
}
