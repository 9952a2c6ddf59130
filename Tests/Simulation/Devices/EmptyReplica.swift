package import GRDB
import Kith

/// The database of a device on which Kith was just installed.
package enum EmptyReplica {
    /// Every world needs several, so the tables are created once and then copied.
    private static let template = Result {
        let queue = try DatabaseQueue()
        try ReplicaSchema.migrator.migrate(queue)
        return queue
    }

    package static func queue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try template.get().backup(to: queue)
        return queue
    }
}
