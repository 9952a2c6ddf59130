/// One open stream of a public link's page. It is removed when the last reference is released, so a stream that was never
/// written also ends.
package final class ListStream: Sendable {
    /// The pending news of a stream.
    package enum News: Hashable, Sendable {
        /// The list, or what its page shows besides, has changed.
        case changed
        /// Nothing has changed. The link is to be checked.
        case nothing
        /// The stream ends.
        case end
    }

    private let id: Int
    private let bell: AsyncStream<Void>
    private let streams: ListStreams

    init(id: Int, bell: AsyncStream<Void>, streams: ListStreams) {
        (self.id, self.bell, self.streams) = (id, bell, streams)
    }

    deinit { streams.remove(id) }

    /// Ends the stream after its reader has disconnected.
    package func end() { streams.end(id) }

    /// Waits until there is news.
    ///
    /// - Returns: nil when the stream ends.
    package func next() async -> News? {
        for await _ in bell {
            let news = streams.take(id)
            return news == .end ? nil : news
        }
        return nil
    }
}
