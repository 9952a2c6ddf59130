/// One open stream of a public link's page. It is removed when the last reference is released, so a stream that was never
/// written also ends.
package final class ListStream: Sendable {
    /// The pending news of a stream.
    package enum News: Hashable, Sendable {
        /// The list, or what its page shows besides, has changed.
        case changed
        /// Nothing has changed. The link is to be checked.
        case nothing
    }

    private let id: Int
    private let bell: StreamBell
    private let streams: ListStreams

    init(id: Int, bell: StreamBell, streams: ListStreams) {
        (self.id, self.bell, self.streams) = (id, bell, streams)
    }

    deinit { streams.remove(id) }

    /// Ends the stream after its reader has disconnected.
    package func end() { streams.end(id) }

    /// Calls `ring` whenever there is news, and at once if some is pending.
    package func whenNews(_ ring: @escaping @Sendable () -> Void) { bell.listen(ring) }

    /// Takes the pending news.
    ///
    /// - Returns: nil when the stream ends.
    package func take() -> News? { streams.take(id) }
}
