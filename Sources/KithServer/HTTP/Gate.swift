import KithModel
import Synchronization

/// Lets requests in, or says why not: too many at once, too fast, or the server is closing.
package final class Gate: Sendable {
    private struct State {
        var running = 0
        var isClosing = false
        var sessions: TokenBuckets<String>
        var newcomers: TokenBuckets<IPAddress>
        var addresses: TokenBuckets<IPAddress>
    }

    private let limits: ServerLimits
    private let clock: ServerClock
    private let state: Mutex<State>

    package init(_ limits: ServerLimits, clock: ServerClock) {
        self.limits = limits
        self.clock = clock
        self.state = Mutex(
            State(
                sessions: TokenBuckets(limits.session), newcomers: TokenBuckets(limits.newSessions),
                addresses: TokenBuckets(limits.address)))
    }

    package var running: Int { state.withLock { $0.running } }
    package var isClosing: Bool { state.withLock { $0.isClosing } }

    /// From now on no request is let in; what runs is finished.
    package func close() { state.withLock { $0.isClosing = true } }

    /// Counts a request in; ``leave()`` counts it out.
    package func enter() throws(ServerError) {
        let refusal: ServerError? = state.withLock { state in
            if state.isClosing { return .closing }
            if state.running >= limits.requestsAtOnce { return .crowded }
            state.running += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    package func leave() { state.withLock { $0.running -= 1 } }

    /// Lets a request of a session pass.
    package func pass(session token: String) throws(ServerError) {
        try pass { $0.sessions.take(from: token, at: $1) }
    }

    /// Lets someone who opens a session pass.
    package func pass(newcomer address: IPAddress) throws(ServerError) {
        try pass { $0.newcomers.take(from: address.household, at: $1) }
    }

    /// Lets a request without a session, or with one that does not exist, pass.
    package func pass(address: IPAddress) throws(ServerError) {
        try pass { $0.addresses.take(from: address.household, at: $1) }
    }

    private func pass(_ take: (inout State, Duration) -> Duration?) throws(ServerError) {
        let now = clock.uptime()
        guard let wait = state.withLock({ take(&$0, now) }) else { return }
        throw ServerError(.tooFast, "Too many requests. Wait \(wait.wholeSeconds) s, then try again.", retryAfter: wait)
    }
}

extension ServerError {
    static let closing = ServerError(
        .busy, "The server is shutting down. Try again in a moment.", retryAfter: .seconds(5))
    static let crowded = ServerError(.busy, "The server is busy. Try again in a moment.", retryAfter: .seconds(1))
}

extension Duration {
    /// The duration in seconds, rounded up, at least 1: what `Retry-After` says.
    var wholeSeconds: Int { max(1, Int((milliseconds + 999) / 1000)) }
}
