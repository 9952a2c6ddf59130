import Synchronization

/// Makes the links in messages, of which the first is none, so that its message cannot be composed.
final class LinksAfterFirst: Sendable {
    private let isFirst = Mutex(true)

    /// The link of a message with this address.
    func link(_ address: String) -> String {
        let hasNone = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        return hasNone ? "no link" : address
    }
}
