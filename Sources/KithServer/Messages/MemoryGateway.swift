import Synchronization

/// A gateway that keeps the last ``capacity`` messages in memory: for a server over a database in memory, and for tests.
package final class MemoryGateway: MessageGateway {
    /// The number of messages that it keeps.
    package static let capacity = 100

    private let messages = Mutex<[StoredMessage]>([])

    package init() {}

    package let deadline = Duration.seconds(1)

    /// The messages, oldest first.
    package var delivered: [StoredMessage] { messages.withLock { $0 } }

    package func deliver(_ message: StoredMessage) async -> GatewayOutcome {
        messages.withLock { messages in
            // A message that was delivered already is recognised by its id.
            if messages.contains(where: { $0.id == message.id }) { return }
            messages.append(message)
            messages.removeFirst(max(0, messages.count - Self.capacity))
        }
        return .accepted
    }

    package func rest() async {}
}
