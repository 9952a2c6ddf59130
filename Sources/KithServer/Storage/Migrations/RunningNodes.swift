/// Counts the nodes that use the database now.
package enum RunningNodes {
    /// The number of nodes that have neither stopped nor been silent for so long that another node has removed them, this
    /// one included. The times of their heartbeats are not compared: the clocks of nodes can differ. With SQLite it is 0.
    package static func count(in transaction: any Transaction) throws -> Int {
        try transaction.count("SELECT count(*) FROM node")
    }
}
