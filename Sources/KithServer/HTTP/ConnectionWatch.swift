/// Decides when to close a connection because its client sends too slowly, is idle for too long, or reads too slowly.
///
/// It reads no clock; the caller passes the time. The caller reports what passes through the connection, and regularly
/// asks for ``reasonToClose(at:)``.
///
///     reading   first byte ──────▶ head ──────▶ body ──────▶ end        within `requestTime`, also after an early answer
///     writing   queued ──▶ written ──▶ … ──▶ nothing left               at least `slowest` bytes a second in each window
///     neither   ─────────────────────────────────────────▶              at most `idle`
package struct ConnectionWatch: Sendable {
    /// The limits of a client; see `Documentation/Protocol.md`, section "Limits".
    package struct Limits: Sendable {
        /// How long a connection may be idle.
        package var idle: Duration
        /// How long a request may take to arrive, from its first byte to its last.
        package var requestTime: Duration
        /// The additional time for a request without an answer, so that the answer can still report the fault.
        package var grace: Duration
        /// The maximum bytes of a body that are still read after an early answer.
        package var drained: Int
        /// The maximum bytes of answers that wait to be written.
        package var unwritten: Int
        /// The length of the window in which the read rate is measured.
        package var window: Duration
        /// The minimum read rate of the client, in bytes per second.
        package var slowest: Int

        package init(
            idle: Duration, requestTime: Duration, grace: Duration = .seconds(5), drained: Int, unwritten: Int,
            window: Duration, slowest: Int
        ) {
            self.idle = idle
            self.requestTime = requestTime
            self.grace = grace
            self.drained = drained
            self.unwritten = unwritten
            self.window = window
            self.slowest = slowest
        }
    }

    /// The maximum bytes that a client sends during a live stream, when it has nothing to send.
    package static let duringStream = 64 << 10

    private let limits: Limits
    /// When bytes last passed, in either direction.
    private var active: Duration
    /// When the first byte of the current request arrived; nil between requests.
    private var reading: Duration?
    /// Whether a part of the current request is still to come.
    private var isInRequest = false
    /// Whether the current answer is a live stream.
    private var isStreaming = false
    /// The bytes that have arrived since the live stream began.
    private var duringStream = 0
    private var begun = 0
    private var answered = 0
    private var drained = 0
    /// The bytes that wait to be written.
    package private(set) var unwritten = 0
    private var window: (start: Duration, written: Int)?

    package init(_ limits: Limits, at now: Duration) {
        self.limits = limits
        active = now
    }

    /// Whether every request that has begun has its answer.
    package var isAnswered: Bool { begun == answered }

    // MARK: Reading

    /// Notes that bytes have arrived.
    package mutating func received(at now: Duration) {
        active = now
        // During a stream, these bytes alone are no request: a client may end its request with one more line break.
        if reading == nil, !isStreaming { reading = now }
    }

    /// Notes how many bytes have arrived. Nothing that comes during a stream is used.
    package mutating func bytesCame(_ count: Int) -> ClosingReason? {
        guard isStreaming else { return nil }
        duringStream += count
        return duringStream > Self.duringStream ? .longBody : nil
    }

    /// Notes that the head of a request is complete.
    package mutating func requestBegan(at now: Duration) {
        begun += 1
        isInRequest = true
        if reading == nil { reading = now }
    }

    /// Notes that a part of the request's body has arrived.
    package mutating func bodyCame(_ count: Int) -> ClosingReason? {
        guard isAnswered else { return nil }
        drained += count
        return drained > limits.drained ? .longBody : nil
    }

    /// Notes that the request is complete.
    package mutating func requestEnded() {
        reading = nil
        isInRequest = false
        drained = 0
    }

    // MARK: Writing

    /// Notes that the answer is a live stream, whose first event is about to be written.
    package mutating func streamBegan() {
        isStreaming = true
        duringStream = 0
        if !isInRequest { reading = nil }
    }

    /// Notes that an answer is complete. It may not be written yet.
    package mutating func answerEnded(at now: Duration) {
        isStreaming = false
        answered += 1
        active = now
    }

    /// Notes that bytes of an answer wait to be written.
    package mutating func queued(_ count: Int, at now: Duration) -> ClosingReason? {
        if window == nil { window = (now, 0) }
        unwritten += count
        return unwritten > limits.unwritten ? .unwritten : nil
    }

    /// Notes that bytes of an answer were written.
    package mutating func written(_ count: Int, at now: Duration) {
        active = now
        unwritten -= count
        window?.written += count
        if unwritten == 0 { window = nil }
    }

    // MARK: Judging

    /// The reason to close the connection now; nil if it may stay open.
    package mutating func reasonToClose(at now: Duration) -> ClosingReason? {
        if let current = window, now - current.start >= limits.window {
            let needed = Double(limits.slowest) * (limits.window / .seconds(1))
            if Double(current.written) < needed { return .slowReader }
            window = (now, 0)
        }
        if let reading {
            let mayEnd = isAnswered && unwritten == 0
            if now - reading >= limits.requestTime + (mayEnd ? .zero : limits.grace) { return .slowRequest }
        }
        let isWaiting = unwritten == 0 && (isAnswered || reading != nil)
        return isWaiting && now - active >= limits.idle ? .idle : nil
    }
}
