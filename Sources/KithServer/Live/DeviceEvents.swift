package import Foundation
package import KithModel

/// Writes a live stream as server-sent events (WHATWG HTML, section 9.2), with the names of `LiveEventName`.
///
/// ``ByteCounter`` adds comments, `: still here`, so that neither side mistakes silence for a broken connection.
package struct DeviceEvents {
    /// The stream to write.
    package let stream: LiveStream
    /// Reads which feeds an account may read.
    package let feeds: @Sendable (AccountID) async throws -> Set<FeedID>
    /// Announces to others that the account is online.
    package let arrive: @Sendable (LiveStream) async -> Void

    package init(
        _ stream: LiveStream, feeds: @escaping @Sendable (AccountID) async throws -> Set<FeedID>,
        arrive: @escaping @Sendable (LiveStream) async -> Void
    ) {
        self.stream = stream
        self.feeds = feeds
        self.arrive = arrive
    }

    /// Writes the first event, and announces the account.
    @concurrent package func writeFirst(_ write: @concurrent (Data) async throws -> Void) async throws {
        try await write(Self.hello)
        await arrive(stream)
    }

    /// Writes the pending news. After a failure the stream must end: the device connects again, and then reads what it
    /// missed.
    ///
    /// - Returns: Whether the stream goes on.
    @concurrent package func writeNews(_ write: @concurrent (Data) async throws -> Void) async throws -> Bool {
        guard let news = stream.take() else { return false }
        let batch = news.feeds
        // Subscribe to the feeds before the event is sent: the stream must already cover the feeds that the device then
        // reads.
        if batch.needsFeeds { stream.listen(to: try await feeds(stream.account)) }
        if batch.isEverything || !batch.feeds.isEmpty {
            try await write(Self.event(.moved, FeedsMoved(feeds: batch.feeds.sorted())))
        }
        if batch.hasNewSessions { try await write(Self.sessions) }
        for part in news.presence?.parts ?? [] { try await write(Self.event(.presence, part)) }
        return true
    }

    // MARK: Events

    package static let hello = event(.hello, Data("{}".utf8))
    package static let sessions = event(.sessions, Data("{}".utf8))

    private static func event(_ name: LiveEventName, _ value: some Encodable) throws -> Data {
        event(name, try JSONBody.encode(value))
    }

    private static func event(_ name: LiveEventName, _ json: Data) -> Data {
        Data("event: \(name.rawValue)\ndata: ".utf8) + json + Data("\n\n".utf8)
    }
}

extension PresenceEvent {
    /// The event in parts that each name at most ``Limits/presences`` people. Only the first part can be complete: it
    /// makes the reader discard its previous state.
    fileprivate var parts: [PresenceEvent] {
        stride(from: 0, to: max(1, people.count), by: Limits.presences).map { start in
            PresenceEvent(
                isWhole: isWhole && start == 0,
                people: Array(people[start..<min(start + Limits.presences, people.count)]))
        }
    }
}
