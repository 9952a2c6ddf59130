package import GRDB
import Kith
import KithModel

/// The database of a device on which Kith was just installed.
package enum EmptyReplica {
    static let databases = EmptyDatabases { queue in
        try ReplicaSchema.migrator.migrate(queue)
        try queue.write { db in
            for schema in Schema.all { try RecordTable(schema).createIfMissing(db) }
        }
    }

    package static func queue() throws -> DatabaseQueue { try databases.take() }
}
