package import KithModel

/// Counts the nodes that use the database now.
package enum RunningNodes {
    /// How old the last heartbeat of a node can be. Heartbeats are far more frequent, but the clocks of nodes can differ.
    private static let recent = Duration.seconds(60)

    /// The number of nodes with a recent heartbeat, this one included. With SQLite it is 0.
    package static func count(at now: Timestamp, in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM node WHERE beaten_at > ?", [.time(now - recent)])
    }
}
