package import Kith
package import KithModel
package import KithServer

/// A kind of record that a world has besides Kith's own. Its records are in lists.
package struct SimulatedKind: Sendable {
    package let schema: Schema
    /// What the devices know.
    package let onDevices: ReplicaCollections
    /// What the servers know.
    package let onServers: Collections

    package init(_ schema: Schema, onDevices: ReplicaCollections, onServers: Collections) {
        self.schema = schema
        self.onDevices = onDevices
        self.onServers = onServers
    }
}
