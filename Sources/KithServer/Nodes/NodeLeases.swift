/// The other nodes as this one sees them.
///
/// A node runs while its heartbeat changes. The time is this node's own, so that the clocks need not agree.
package struct NodeLeases: Sendable {
    /// What a poll has shown.
    package struct Outcome: Hashable, Sendable {
        /// The nodes that have stopped or are silent, each with the last that was stored of it, and a revision from
        /// before its last sign of life. What it has committed since then was perhaps not told.
        package var ended: [Ended] = []
        /// The nodes whose presence is to be read: notices were lost, or the node was silent and is not any more.
        package var unread: Set<NodeID> = []

        package init() {}
    }

    /// A node that has ended.
    package struct Ended: Hashable, Sendable {
        package var row: NodeRow
        package var since: Revision
        /// Whether its rows are still there.
        package var isStored: Bool

        package init(_ row: NodeRow, since: Revision, isStored: Bool) {
            (self.row, self.since, self.isStored) = (row, since, isStored)
        }
    }

    private struct Known {
        var row: NodeRow
        /// When the heartbeat was first seen.
        var seen: Duration
        /// The revision at the poll before that. The heartbeat was written later.
        var before: Revision
        /// The same of the heartbeat before it: what was committed since then was perhaps not told.
        ///
        /// A node can write a heartbeat between a commit and its notice. Then the commit is before the last heartbeat,
        /// and the poll that has shown both has left out its feed, if another notice has named it.
        var since: Revision
        /// The highest number of changes of which a notice has told, or that was read.
        var heard: Int64
        var hasEnded = false
    }

    private let node: NodeID
    private let lease: Duration
    private var known: [NodeID: Known] = [:]
    /// The revision at the last poll.
    private var last: Revision?

    /// - Parameters:
    ///   - node: This node.
    ///   - lease: How long a node counts as running without a heartbeat.
    package init(of node: NodeID, lease: Duration = NodeTimes().lease) {
        (self.node, self.lease) = (node, lease)
    }

    /// Records the number of a notice about changes of presence.
    package mutating func hear(changes: Int64, of node: NodeID) {
        if let heard = known[node]?.heard { known[node]?.heard = max(heard, changes) }
    }

    /// Records that the presence of a node could not be read. The next poll has it again.
    package mutating func noteUnread(_ node: NodeID) { known[node]?.heard = -1 }

    /// Records the rows of all nodes.
    ///
    /// - Parameters:
    ///   - rows: The rows of the database.
    ///   - revision: The revision of the feeds at the same time.
    ///   - now: The uptime.
    ///   - isGap: Whether notices may have been lost. If not, a notice that was not heard yet may be on its way, and
    ///     counts as lost at the next poll.
    /// - Returns: What has changed.
    package mutating func see(
        _ rows: [NodeRow], revision: Revision, at now: Duration, isGap: Bool
    ) -> Outcome {
        defer { last = revision }
        let before = last ?? revision
        var outcome = Outcome()
        let rows = Dictionary(uniqueKeysWithValues: rows.filter { $0.node != node }.map { ($0.node, $0) })
        for row in rows.values.sorted(by: { $0.node < $1.node }) {
            guard var old = known[row.node] else {
                known[row.node] = Known(
                    row: row, seen: now, before: before, since: before, heard: row.changes)
                // Notices of a node may be heard before its row is seen.
                outcome.unread.insert(row.node)
                continue
            }
            let isMissing = old.heard < (isGap ? row.changes : old.row.changes)
            if row.beat != old.row.beat {
                if old.hasEnded || isMissing {
                    outcome.unread.insert(row.node)
                    old.heard = max(old.heard, row.changes)
                }
                (old.seen, old.since, old.before, old.hasEnded) = (now, old.before, before, false)
            } else if !old.hasEnded, now - old.seen >= lease {
                old.hasEnded = true
                outcome.ended.append(Ended(row, since: old.since, isStored: true))
            } else if !old.hasEnded, isMissing {
                outcome.unread.insert(row.node)
                old.heard = max(old.heard, row.changes)
            } else if old.hasEnded {
                // Its rows could not be removed.
                outcome.ended.append(Ended(row, since: revision, isStored: true))
            }
            old.row = row
            known[row.node] = old
        }
        for (node, old) in known.sorted(by: { $0.key < $1.key }) where rows[node] == nil {
            known[node] = nil
            if !old.hasEnded { outcome.ended.append(Ended(old.row, since: old.since, isStored: false)) }
        }
        return outcome
    }
}
