/// The nodes that run while a newer program waits to do a step that they would not survive.
///
/// They see the announcement of the step, stop, and write no heartbeat any more.
package struct OlderNodes: Sendable {
    /// How long a node is silent that has ended without removing its row. This is longer than its last request.
    package static let silence = Duration.seconds(30)

    private struct Heartbeat: Sendable {
        let number: Int64
        /// When it was first seen.
        let time: Duration
    }

    private let silence: Duration
    private var heartbeats: [String: Heartbeat] = [:]

    package init(silence: Duration = Self.silence) {
        self.silence = silence
    }

    /// The number of the last heartbeat of each node.
    static func beats(in transaction: any Transaction) throws -> [String: Int64] {
        let rows = try transaction.query("SELECT id, beat FROM node")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.text(0), try $0.integer(1)) })
    }

    /// Records the heartbeats of the nodes that have rows.
    ///
    /// - Parameters:
    ///   - beats: The number of the last heartbeat of each node.
    ///   - now: The uptime.
    /// - Returns: Whether none of them runs any more.
    package mutating func haveEnded(_ beats: [String: Int64], at now: Duration) -> Bool {
        for (node, beat) in beats where heartbeats[node]?.number != beat {
            heartbeats[node] = Heartbeat(number: beat, time: now)
        }
        return beats.keys.allSatisfy { node in heartbeats[node].map { now - $0.time >= silence } ?? false }
    }
}
