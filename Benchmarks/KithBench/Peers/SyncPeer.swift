/// A server with the records of one user, and a client that has read them.
protocol SyncPeer {
    var name: String { get }

    /// Stores one record.
    func put(_ record: PeerRecord) throws

    /// Reads what has changed since the last time. Returns the number of changed records.
    func readNews() throws -> Int

    /// Reads everything, as a new client does. Returns the number of records.
    func readAll() throws -> Int
}
