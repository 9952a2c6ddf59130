import NIOCore

/// The open connections of one event loop: one timer judges all of them, and one task writes the heartbeats of their event
/// streams, so that an idle connection costs next to nothing.
///
/// It is used only on its event loop.
final class LoopConnections {
    private let eventLoop: any EventLoop
    private let pause: TimeAmount
    private var counters: [ObjectIdentifier: ByteCounter] = [:]
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - eventLoop: The loop that the caller runs on.
    ///   - pause: The time between two judgements.
    init(on eventLoop: any EventLoop, every pause: TimeAmount) {
        self.eventLoop = eventLoop
        self.pause = pause
    }

    /// Judges a connection from now on.
    func add(_ counter: ByteCounter) {
        counters[ObjectIdentifier(counter)] = counter
        if timer == nil { lookLater() }
    }

    /// Forgets a closed connection.
    func remove(_ counter: ByteCounter) {
        counters[ObjectIdentifier(counter)] = nil
        guard counters.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }

    /// Writes a heartbeat into each event stream.
    func beat() { for counter in counters.values { counter.beat() } }

    private func lookLater() {
        timer = eventLoop.assumeIsolated().scheduleTask(in: pause) { [weak self] in
            guard let self else { return }
            // A look can close connections.
            for counter in counters.values { counter.look() }
            timer = nil
            if !counters.isEmpty { lookLater() }
        }
    }
}
