import Foundation

/// A stream of server-sent events that is written to one client.
enum ServerEvents: Sendable {
    /// The events of a device.
    case device(DeviceEvents)
    /// The events of a public link's page.
    case page(ListEvents)

    /// Calls `ring` whenever there is news.
    func whenNews(_ ring: @escaping @Sendable () -> Void) {
        switch self {
        case .device(let events): events.stream.whenNews(ring)
        case .page(let events): events.stream.whenNews(ring)
        }
    }

    /// Writes the first event.
    @concurrent func writeFirst(_ write: @concurrent (Data) async throws -> Void) async throws {
        switch self {
        case .device(let events): try await events.writeFirst(write)
        case .page(let events): try await events.writeFirst(write)
        }
    }

    /// Writes the news. Returns false after the last event.
    @concurrent func writeNews(_ write: @concurrent (Data) async throws -> Void) async throws -> Bool {
        switch self {
        case .device(let events): try await events.writeNews(write)
        case .page(let events): try await events.writeNews(write)
        }
    }

    /// Ends the stream after its reader has disconnected.
    func end() {
        switch self {
        case .device(let events): events.stream.end()
        case .page(let events): events.stream.end()
        }
    }
}
