package import GRDB
import Kith

/// The database of a device that Kith was just installed on.
package enum EmptyReplica {
    /// Every world has several, so that its tables are made once and copied.
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
