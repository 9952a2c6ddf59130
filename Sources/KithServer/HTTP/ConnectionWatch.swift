/// Decides when one connection is closed because of its client: too slow, too silent, or too much that it does not read.
///
/// It reads no clock: the time is handed in. It counts what passes, and ``fault(at:)`` is asked now and then.
///
///     reading   first byte ──────▶ head ──────▶ body ──────▶ end        within `requestTime`, also after an early answer
///     writing   queued ──▶ written ──▶ … ──▶ nothing left               at least `slowest` bytes a second in each window
///     neither   ─────────────────────────────────────────▶              at most `idle`
package struct ConnectionWatch: Sendable {
    /// What a client may do to a connection; see `Documentation/Protocol.md`, section "Limits".
    package struct Limits: Sendable {
        /// How long a connection may have nothing to do.
        package var idle: Duration
        /// How long a request may take to arrive, from its first byte to its last.
        package var requestTime: Duration
        /// How much longer it may take when it is not answered yet, so that the answer can say what went wrong.
        package var grace: Duration
        /// Bytes of a body that are still read after an early answer.
        package var drained: Int
        /// Bytes of answers that wait to be written.
        package var unwritten: Int
        /// How long a window is in which the rate of writing is measured.
        package var window: Duration
        /// Bytes that the client must read in each second of a window.
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

    private let limits: Limits
    /// When something last passed, either way.
    private var active: Duration
    /// When the first byte of the request came that is being read.
    private var reading: Duration?
    private var begun = 0
    private var answered = 0
    private var drained = 0
    /// Bytes that wait to be written.
    package private(set) var unwritten = 0
    private var window: (start: Duration, written: Int)?

    package init(_ limits: Limits, at now: Duration) {
        self.limits = limits
        active = now
    }

    /// Whether every request that has begun is answered.
    private var isAnswered: Bool { begun == answered }

    // MARK: Reading

    /// Bytes have come.
    package mutating func received(at now: Duration) {
        active = now
        if reading == nil { reading = now }
    }

    /// The head of a request is complete.
    package mutating func requestBegan(at now: Duration) {
        begun += 1
        if reading == nil { reading = now }
    }

    /// A part of the request's body has come.
    package mutating func bodyCame(_ count: Int) -> ClosingReason? {
        guard isAnswered else { return nil }
        drained += count
        return drained > limits.drained ? .longBody : nil
    }

    /// The request is complete.
    package mutating func requestEnded() {
        reading = nil
        drained = 0
    }

    // MARK: Writing

    /// An answer is complete, though it may not be written yet.
    package mutating func answerEnded(at now: Duration) {
        answered += 1
        active = now
    }

    /// Bytes of an answer wait to be written.
    package mutating func queued(_ count: Int, at now: Duration) -> ClosingReason? {
        if window == nil { window = (now, 0) }
        unwritten += count
        return unwritten > limits.unwritten ? .unwritten : nil
    }

    /// Bytes of an answer were written.
    package mutating func written(_ count: Int, at now: Duration) {
        active = now
        unwritten -= count
        window?.written += count
        if unwritten == 0 { window = nil }
    }

    // MARK: Judging

    /// Why the connection is to be closed now; nil if it may stay open.
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
