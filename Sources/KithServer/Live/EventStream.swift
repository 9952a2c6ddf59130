package import Foundation
package import KithModel

/// Writes a live stream as server-sent events (WHATWG HTML, section 9.2).
///
///     event: hello            at first: what is read after it misses nothing that is told later
///     event: moved            these feeds have moved; none named: any may have
///     : still here            a comment, so that neither side takes silence for the end
package struct EventStream {
    /// The stream to write.
    package let stream: LiveStream
    /// Asks which feeds an account may read.
    package let feeds: @Sendable (AccountID) async throws -> Set<FeedID>

    package init(_ stream: LiveStream, feeds: @escaping @Sendable (AccountID) async throws -> Set<FeedID>) {
        self.stream = stream
        self.feeds = feeds
    }

    /// Writes until the stream ends. A failure ends it too: the device asks again, and then reads what it missed.
    @concurrent package func run(_ write: @concurrent (Data) async throws -> Void) async throws {
        try await write(Self.hello)
        while let batch = await stream.next() {
            // Feeds first, then the event: what the device reads upon it, it must hear of from then on.
            if batch.needsFeeds { stream.listen(to: try await feeds(stream.account)) }
            if batch.isEverything || !batch.feeds.isEmpty {
                try await write(Self.moved(batch.feeds))
            } else if batch.needsComment {
                try await write(Self.comment)
            }
        }
    }

    package static let hello = Data("event: hello\ndata: {}\n\n".utf8)
    package static let comment = Data(": still here\n\n".utf8)

    package static func moved(_ feeds: Set<FeedID>) throws -> Data {
        let json = try JSON.encode(FeedsMoved(feeds: feeds.sorted()))
        return Data("event: moved\ndata: ".utf8) + json + Data("\n\n".utf8)
    }
}
