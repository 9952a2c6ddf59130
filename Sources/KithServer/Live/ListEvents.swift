package import Foundation

/// Writes the stream of a public link's page as server-sent events (WHATWG HTML, section 9.2).
///
///     event: hello            the first event: a page that is fetched after it misses nothing
///     event: changed          the page has changed: fetch it again
///     event: gone             the last event: the link has expired or was revoked
///     : still here            a comment, so that neither side mistakes silence for a broken connection; ``ByteCounter``
///                             writes it
///
/// The events have no content, because the page may show more or less than the list.
package struct ListEvents: Sendable {
    /// The stream to write.
    package let stream: ListStream
    /// Whether the link can still be used.
    package let isUsable: @Sendable () async throws -> Bool

    package init(_ stream: ListStream, isUsable: @escaping @Sendable () async throws -> Bool) {
        (self.stream, self.isUsable) = (stream, isUsable)
    }

    /// Writes the first event.
    @concurrent package func writeFirst(_ write: @concurrent (Data) async throws -> Void) async throws {
        try await write(DeviceEvents.hello)
    }

    /// Writes the pending news. After a failure the stream must end: the page connects again.
    ///
    /// - Returns: Whether the stream goes on.
    @concurrent package func writeNews(_ write: @concurrent (Data) async throws -> Void) async throws -> Bool {
        guard let news = stream.take() else { return false }
        // The link is checked each time, because it expires without a signal.
        guard try await isUsable() else {
            try await write(Self.gone)
            return false
        }
        if news == .changed { try await write(Self.changed) }
        return true
    }

    package static let changed = Data("event: changed\ndata: {}\n\n".utf8)
    package static let gone = Data("event: gone\ndata: {}\n\n".utf8)
}
