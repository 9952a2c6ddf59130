import Synchronization

/// One open connection, for the code that answers its requests.
final class Connection: Sendable {
    /// The address at the other end.
    let peer: IPAddress
    /// The address that the connection counts toward; nil for the connection of a trusted proxy.
    let counted: IPAddress?
    private let place = Mutex<Gate.Place?>(nil)

    init(peer: IPAddress, counted: IPAddress?) {
        self.peer = peer
        self.counted = counted
    }

    /// Holds the place of the current request until its answer is written or the connection is closed.
    func hold(_ new: Gate.Place) { place.withLock { $0 = new } }

    /// Hands over the place to the code that writes the end of the answer.
    func takePlace() -> Gate.Place? {
        place.withLock { place in
            defer { place = nil }
            return place
        }
    }
}
