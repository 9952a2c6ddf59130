import KithModel
import Synchronization

/// Admits or refuses requests: too many at once, too many per second, too much work, or the server stops.
package final class Gate: Sendable {
    private struct State {
        var running: FairShare<IPAddress>
        var isClosing = false
        var sessions: TokenBuckets<String>
        var newcomers: TokenBuckets<IPAddress>
        var addresses: TokenBuckets<IPAddress>
        var operators: TokenBuckets<IPAddress>
        var sessionWork: TokenBuckets<String>
        var addressWork: TokenBuckets<IPAddress>
    }

    /// The place of a running request. It is given back when the answer is written, or with the last reference.
    package final class Place: Sendable {
        private let gate: Gate
        private let limitedAddress: IPAddress
        private let isTaken = Mutex(true)

        fileprivate init(_ gate: Gate, _ limitedAddress: IPAddress) {
            self.gate = gate
            self.limitedAddress = limitedAddress
        }

        deinit { leave() }

        /// Gives the place back. Calling it again does nothing.
        package func leave() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { gate.leave(limitedAddress) }
        }
    }

    private let clock: ServerClock
    private let state: Mutex<State>

    package init(_ limits: ServerLimits, clock: ServerClock) {
        self.clock = clock
        self.state = Mutex(
            State(
                running: FairShare(total: limits.requestsAtOnce),
                sessions: TokenBuckets(limits.session), newcomers: TokenBuckets(limits.newSessions),
                addresses: TokenBuckets(limits.address), operators: TokenBuckets(limits.operating),
                sessionWork: TokenBuckets(limits.sessionWork),
                addressWork: TokenBuckets(limits.addressWork)))
    }

    package var running: Int { state.withLock { $0.running.used } }
    package var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Refuses all further requests. Running requests continue.
    package func close() { state.withLock { $0.isClosing = true } }

    /// Admits a request if its address may have another place; see ``FairShare``.
    package func enter(_ address: IPAddress) throws(ServerError) -> Place {
        let limitedAddress = address.limitedAddress
        let refusal: ServerError? = state.withLock { state in
            if state.isClosing { return .closing }
            return state.running.take(by: limitedAddress) ? nil : .crowded
        }
        if let refusal { throw refusal }
        return Place(self, limitedAddress)
    }

    private func leave(_ limitedAddress: IPAddress) { state.withLock { $0.running.giveBack(by: limitedAddress) } }

    // MARK: Rates

    /// Counts a request of a session. Throws if the session has reached its rate limit or its limit of work.
    package func pass(session token: String) throws(ServerError) {
        try pass { state, now in
            state.sessions.take(from: token, at: now) ?? state.sessionWork.debt(of: token, at: now)
        }
    }

    /// Counts a request to open a session. Throws if the address has reached its rate limit for new sessions.
    package func pass(newcomer address: IPAddress) throws(ServerError) {
        try pass { $0.newcomers.take(from: address.limitedAddress, at: $1) }
    }

    /// Counts a request of an operator. Throws if the address has reached its rate limit for operators.
    package func pass(operator address: IPAddress) throws(ServerError) {
        try pass { $0.operators.take(from: address.limitedAddress, at: $1) }
    }

    /// Counts a request without a valid session. Throws if the address has reached its rate limit.
    package func pass(address: IPAddress) throws(ServerError) {
        try pass { $0.addresses.take(from: address.limitedAddress, at: $1) }
    }

    // MARK: Work

    /// Throws if the address has reached its limit of work. Otherwise counts one unit for the request.
    package func passWork(of address: IPAddress) throws(ServerError) {
        try pass { state, now in
            if let wait = state.addressWork.debt(of: address.limitedAddress, at: now) { return wait }
            state.addressWork.charge(1, to: address.limitedAddress, at: now)
            return nil
        }
    }

    /// Counts units of work, done or about to be done, for an address, and for the session if there is one.
    package func charge(_ units: Int, to address: IPAddress, session token: String?) {
        guard units > 0 else { return }
        let now = clock.uptime()
        state.withLock { state in
            state.addressWork.charge(units, to: address.limitedAddress, at: now)
            if let token { state.sessionWork.charge(units, to: token, at: now) }
        }
    }

    private func pass(_ take: (inout State, Duration) -> Duration?) throws(ServerError) {
        let now = clock.uptime()
        guard let wait = state.withLock({ take(&$0, now) }) else { return }
        throw ServerError(
            .tooFast, "Too many requests. Wait \(Duration.seconds(wait.wholeSeconds).words), then try again.",
            retryAfter: wait)
    }
}

extension ServerError {
    static let closing = ServerError(
        .busy, "The server is shutting down. Try again in a moment.", retryAfter: .seconds(5))
    static let crowded = ServerError(.busy, "The server is busy. Try again in a moment.", retryAfter: .seconds(1))
}

extension Duration {
    /// The duration in seconds for `Retry-After`: rounded up, and at least 1.
    var wholeSeconds: Int { max(1, Int((milliseconds + 999) / 1000)) }
}
