import Synchronization

/// One open connection, as those who answer its requests see it.
final class Connection: Sendable {
    /// Who opened it.
    let peer: IPAddress
    /// The household that it is counted for; nil if it is a trusted proxy's.
    let counted: IPAddress?
    private let place = Mutex<Gate.Place?>(nil)

    init(peer: IPAddress, counted: IPAddress?) {
        self.peer = peer
        self.counted = counted
    }

    /// Keeps the place of the request that is being answered until its answer is written, or the connection is gone.
    func hold(_ new: Gate.Place) { place.withLock { $0 = new } }

    /// Gives the place to whoever writes the end of the answer.
    func takePlace() -> Gate.Place? {
        place.withLock { place in
            defer { place = nil }
            return place
        }
    }
}
