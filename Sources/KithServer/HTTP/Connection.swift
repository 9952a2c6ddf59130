import Synchronization

/// One open connection, for the code that answers its requests.
final class Connection: Sendable {
    /// The address at the other end.
    let peer: IPAddress
    /// The address that the connection counts toward; nil for the connection of a trusted proxy.
    let counted: IPAddress?
    private let place = Mutex<Gate.Place?>(nil)
    private let reading = Atomic(false)
    private let http10 = Atomic(false)

    init(peer: IPAddress, counted: IPAddress?) {
        self.peer = peer
        self.counted = counted
    }

    /// Whether all requests that have begun to arrive have arrived to their ends.
    var isWhole: Bool { !reading.load(ordering: .relaxed) }

    /// Whether the client speaks HTTP/1.0, which has no chunks.
    var isHTTP10: Bool { http10.load(ordering: .relaxed) }

    /// Notes that the client speaks HTTP/1.0.
    func noteHTTP10() { http10.store(true, ordering: .relaxed) }

    /// Notes that the head of a request has arrived.
    func requestBegan() { reading.store(true, ordering: .relaxed) }

    /// Notes that the end of a request has arrived.
    func requestEnded() { reading.store(false, ordering: .relaxed) }

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
