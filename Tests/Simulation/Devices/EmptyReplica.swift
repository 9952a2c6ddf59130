package import GRDB
import Kith
import KithModel

/// The database of a device on which Kith was just installed.
package enum EmptyReplica {
    /// Every world needs several, so the tables are created once and then copied.
    private static let template = Result {
        let queue = try DatabaseQueue()
        try ReplicaSchema.migrator.migrate(queue)
        try queue.write { db in
            for schema in Schema.all { try RecordTable(schema).createIfMissing(db) }
        }
        return queue
    }

    package static func queue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try template.get().backup(to: queue)
        return queue
    }
}
