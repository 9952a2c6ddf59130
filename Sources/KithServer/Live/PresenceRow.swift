package import KithModel

/// The stored presence of an account at one node. An account that is offline there has no row.
package struct PresenceRow: Hashable, Sendable {
    package var account: AccountID
    package var node: NodeID
    package var state: Presence.State

    package init(_ account: AccountID, at node: NodeID, _ state: Presence.State) {
        (self.account, self.node, self.state) = (account, node, state)
    }

    private init?(_ row: SQLRow) throws {
        // A newer node may know more states.
        guard let state = Presence.State(rawValue: try row.text(2)) else { return nil }
        self.init(try row.id(0), at: NodeID(try row.text(1)), state)
    }

    /// The rows of these accounts, at all nodes.
    package static func read(of accounts: Set<AccountID>, in transaction: any Transaction) throws -> [Self] {
        try transaction.query(
            wanted: ["account"], accounts.sorted().map { [.id($0)] },
            """
            SELECT presence.account, presence.node, presence.state FROM wanted CROSS JOIN presence
            WHERE presence.account = wanted.account
            """
        ).compactMap { try Self($0) }
    }

    /// The rows of a node: at most as many as people are online there.
    package static func read(at node: NodeID, in transaction: any Transaction) throws -> [Self] {
        try transaction.query("SELECT account, node, state FROM presence WHERE node = ?", [.text(node.text)])
            .compactMap { try Self($0) }
    }

    /// Stores changes at a node. Each account has one at most.
    package static func write(
        _ changes: [PresenceChange], at node: NodeID, in transaction: any Transaction
    ) throws {
        let changes = changes.sorted { $0.account < $1.account }
        try transaction.insert(
            into: "presence", ["account", "node", "state"],
            changes.filter { $0.state != .offline }.map {
                [.id($0.account), .text(node.text), .text($0.state.rawValue)]
            }, replacing: ["account", "node"])
        try transaction.delete(
            from: "presence", ["account", "node"],
            changes.filter { $0.state == .offline }.map { [.id($0.account), .text(node.text)] })
    }

    /// Deletes the rows of a node.
    ///
    /// - Returns: The accounts that were online there.
    package static func deleteAll(at node: NodeID, in transaction: any Transaction) throws -> Set<AccountID> {
        let rows = try transaction.query(
            "DELETE FROM presence WHERE node = ? RETURNING account", [.text(node.text)])
        return Set(try rows.map { try $0.id(0) })
    }
}
