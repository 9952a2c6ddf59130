package import KithModel

/// The stored heartbeat of a node.
package struct NodeRow: Hashable, Sendable {
    package var node: NodeID
    /// The number of its heartbeats.
    package var beat: Int64
    /// The time of the last one, by the node's clock.
    package var time: Timestamp
    /// The number of transactions that have changed its stored presence.
    package var changes: Int64

    package init(_ node: NodeID, beat: Int64, at time: Timestamp, changes: Int64 = 0) {
        (self.node, self.beat, self.time, self.changes) = (node, beat, time, changes)
    }

    /// The nodes that have neither stopped nor been removed.
    package static func all(in transaction: any Transaction) throws -> [NodeRow] {
        try transaction.query("SELECT id, beat, beaten_at, changes FROM node").map { row in
            NodeRow(
                NodeID(try row.text(0)), beat: try row.integer(1), at: try row.time(2), changes: try row.integer(3))
        }
    }

    /// Stores a heartbeat.
    ///
    /// - Returns: Whether the node was not known, so that it has to store its presence again.
    package static func beat(_ node: NodeID, at now: Timestamp, in transaction: any Transaction) throws -> Bool {
        let isKnown = try transaction.changes(
            "UPDATE node SET beat = beat + 1, beaten_at = ? WHERE id = ? RETURNING id", [.time(now), .text(node.text)])
        if isKnown { return false }
        _ = try PresenceRow.deleteAll(at: node, in: transaction)
        try transaction.execute(
            "INSERT INTO node (id, beat, beaten_at, changes) VALUES (?, 1, ?, 0)", [.text(node.text), .time(now)])
        return true
    }

    /// Counts a transaction that changes the node's stored presence. Others wait for it, so that the numbers are in the
    /// order of the commits.
    ///
    /// - Returns: The number; nil if the node is not known.
    static func countChange(of node: NodeID, in transaction: any Transaction) throws -> Int64? {
        try transaction.query(
            "UPDATE node SET changes = changes + 1 WHERE id = ? RETURNING changes", [.text(node.text)]
        ).first?.integer(0)
    }

    /// Removes the node with its presence, unless it has written another heartbeat. Its people were last seen with the
    /// last one.
    package func remove(in transaction: any Transaction) throws {
        let isGone = try transaction.changes(
            "DELETE FROM node WHERE id = ? AND beat = ? RETURNING id", [.text(node.text), .integer(beat)])
        guard isGone else { return }
        let people = try PresenceRow.deleteAll(at: node, in: transaction)
        try LastSeen.write(Dictionary(uniqueKeysWithValues: people.map { ($0, time) }), in: transaction)
    }

    /// Removes a node that stops, with its presence.
    static func stop(_ node: NodeID, in transaction: any Transaction) throws {
        _ = try PresenceRow.deleteAll(at: node, in: transaction)
        try transaction.execute("DELETE FROM node WHERE id = ?", [.text(node.text)])
    }
}
