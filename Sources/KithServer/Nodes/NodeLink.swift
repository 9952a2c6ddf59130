/// The connections of a node to the others, and its id.
///
/// It has its own connections to the database, so that signals do not wait for requests.
package struct NodeLink: Sendable {
    /// How many connections send notices and rates and poll, besides the one that listens.
    static let connections = 2

    /// The id of this node.
    package let node: NodeID
    let database: PostgresDatabase
    let listen: @Sendable () throws -> PostgresConnection
    /// Rings when there is something to send.
    let bell = Bell()

    /// A link over the connections to `database`. ``Nodes`` closes it.
    ///
    /// - Parameters:
    ///   - database: The database that the nodes share.
    ///   - node: The id of this node; a new one if nil.
    package init(_ database: PostgresDatabase, node: NodeID? = nil) {
        self.node = node ?? NodeID(random: .system)
        self.database = database.separatePool(connections: Self.connections)
        listen = { try database.listeningConnection() }
    }

    /// Has ``NodeTeller`` send what there is.
    package func ring() { bell.ring() }
}
