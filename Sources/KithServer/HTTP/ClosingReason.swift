/// Why the server closes a connection.
package enum ClosingReason: String, CaseIterable, Sendable {
    /// Nothing came for long.
    case idle
    /// A request did not arrive in its time.
    case slowRequest
    /// After an early answer, more of the body came than is read.
    case longBody
    /// An answer was read too slowly, or not at all.
    case slowReader
    /// More waits to be written than may wait.
    case unwritten
    /// The client's address, or the server, has no room for another connection.
    case refused
    /// The server stops, and the answer is not read in time.
    case shutdown
}
