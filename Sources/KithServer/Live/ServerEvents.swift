import Foundation

/// A stream of server-sent events that is written to one client.
enum ServerEvents: Sendable {
    /// The events of a device.
    case device(EventStream)
    /// The events of a public link's page.
    case page(ListEvents)

    /// Writes until the stream ends. A failure also ends it.
    @concurrent func run(_ write: @concurrent (Data) async throws -> Void) async throws {
        switch self {
        case .device(let events): try await events.run(write)
        case .page(let events): try await events.run(write)
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
