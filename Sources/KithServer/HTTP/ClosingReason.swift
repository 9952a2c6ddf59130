/// The reason why the server closes a connection.
package enum ClosingReason: String, CaseIterable, Sendable {
    /// The connection was idle for too long.
    case idle
    /// A request took too long to arrive.
    case slowRequest
    /// Too much of a body followed after the request had been answered early, or too much came during a live stream.
    case longBody
    /// The client read an answer too slowly, or not at all.
    case slowReader
    /// Too many bytes wait to be written.
    case unwritten
    /// The client's address or the server already has too many connections.
    case refused
    /// The server stops, and the client did not read the answer in time.
    case shutdown
}
