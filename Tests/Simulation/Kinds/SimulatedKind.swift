package import Kith
package import KithModel
package import KithServer

/// A kind of record in lists that a world has in addition to Kith's own.
package struct SimulatedKind: Sendable {
    package let schema: Schema
    /// The collections that the devices know.
    package let onDevices: ReplicaCollections
    /// The collections that the servers know.
    package let onServers: Collections

    package init(_ schema: Schema, onDevices: ReplicaCollections, onServers: Collections) {
        self.schema = schema
        self.onDevices = onDevices
        self.onServers = onServers
    }
}
