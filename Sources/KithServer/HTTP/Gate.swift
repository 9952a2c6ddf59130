import KithModel
import Synchronization

/// Admits or refuses requests: too many at once, too many per second, too much work, or the server stops.
package final class Gate: Sendable {
    private struct State {
        var running: FairShare<IPAddress>
        var isClosing = false
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
    private let isShared: Bool
    private let state: Mutex<State>
    private let sessions: RateLimit<String>
    private let newcomers: RateLimit<IPAddress>
    private let addresses: RateLimit<IPAddress>
    private let monitors: RateLimit<IPAddress>
    private let sessionWork: RateLimit<String>
    private let addressWork: RateLimit<IPAddress>

    /// - Parameters:
    ///   - limits: The limits.
    ///   - clock: The source of the uptime.
    ///   - isShared: Whether other nodes count the same callers. The requests at once are limited at each node.
    package init(_ limits: ServerLimits, clock: ServerClock, isShared: Bool = false) {
        self.clock = clock
        self.isShared = isShared
        state = Mutex(State(running: FairShare(total: limits.requestsAtOnce)))
        sessions = RateLimit("session", limits.session, isShared: isShared)
        newcomers = RateLimit("new-session", limits.newSessions, isShared: isShared)
        addresses = RateLimit("address", limits.address, isShared: isShared)
        monitors = RateLimit("operator", limits.operating, isShared: isShared)
        sessionWork = RateLimit("session-work", limits.sessionWork, isShared: isShared)
        addressWork = RateLimit("address-work", limits.addressWork, isShared: isShared)
    }

    /// The limits that nodes share.
    package var shared: [any SharedLimit] {
        [sessions, newcomers, addresses, monitors, sessionWork, addressWork]
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
        let caller = caller(token)
        try pass { sessions.take(from: caller, at: $0) ?? sessionWork.debt(of: caller, at: $0) }
    }

    /// Counts a request to open a session. Throws if the address has reached its rate limit for new sessions.
    package func pass(newcomer address: IPAddress) throws(ServerError) {
        try pass { newcomers.take(from: address.limitedAddress, at: $0) }
    }

    /// Counts a request of a machine that monitors the server. Throws if the address has reached its limit for those.
    package func pass(monitor address: IPAddress) throws(ServerError) {
        try pass { monitors.take(from: address.limitedAddress, at: $0) }
    }

    /// Counts a request without a valid session. Throws if the address has reached its rate limit.
    package func pass(address: IPAddress) throws(ServerError) {
        try pass { addresses.take(from: address.limitedAddress, at: $0) }
    }

    // MARK: Work

    /// Throws if the address has reached its limit of work. Otherwise counts one unit for the request.
    package func passWork(of address: IPAddress) throws(ServerError) {
        try pass { addressWork.takeWithoutDebt(from: address.limitedAddress, at: $0) }
    }

    /// Counts units of work, done or about to be done, for an address, and for the session if there is one.
    package func charge(_ units: Int, to address: IPAddress, session token: String?) {
        guard units > 0 else { return }
        let now = clock.uptime()
        addressWork.charge(units, to: address.limitedAddress, at: now)
        if let token { sessionWork.charge(units, to: caller(token), at: now) }
    }

    /// What stands for a session. Other nodes must not learn its token, nor may the database.
    private func caller(_ token: String) -> String { isShared ? Secret.sha256(token).base64URL : token }

    private func pass(_ take: (Duration) -> Duration?) throws(ServerError) {
        guard let wait = take(clock.uptime()) else { return }
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
