/// Decides when a node tells its news.
///
///     quiet ──add──▶ sends at once ──add──▶ waits for the rest of the interval ──▶ sends all that was added
///
/// So a single signal waits for nothing, and many commits share one notice.
package struct SignalGathering: Sendable {
    /// What to do.
    package enum Step: Hashable, Sendable {
        /// There is nothing to tell.
        case rest
        /// Ask again after this time.
        case wait(Duration)
        /// Tell this.
        case send(NodeNews)
    }

    private let times: NodeTimes
    private var news = NodeNews()
    private var hasPresence = false
    /// The time before which nothing is sent.
    private var next: Duration?

    package init(_ times: NodeTimes = NodeTimes()) {
        self.times = times
    }

    /// Adds the signals of a commit.
    package mutating func add(_ signals: Signals, by device: AccountDevice? = nil) { news.add(signals, by: device) }

    /// Notes that there are changes of presence to tell.
    package mutating func notePresence() { hasPresence = true }

    /// What to do at the uptime `now`.
    package mutating func step(at now: Duration) -> Step {
        guard hasPresence || !news.isEmpty else { return .rest }
        if let next, now < next { return .wait(next - now) }
        defer { (news, hasPresence) = (NodeNews(), false) }
        next = now + times.gathering
        return .send(news)
    }

    /// Records that the time of ``Step/wait(_:)`` has passed.
    package mutating func waited() { next = nil }

    /// Takes everything that is left, when the node stops; nil if there is nothing.
    package mutating func rest() -> NodeNews? {
        defer { (news, hasPresence) = (NodeNews(), false) }
        return hasPresence || !news.isEmpty ? news : nil
    }

    /// Puts news back that could not be told.
    package mutating func putBack(_ unsent: NodeNews, at now: Duration) {
        var unsent = unsent
        unsent.formUnion(news)
        (news, hasPresence) = (unsent, true)
        next = now + times.retrying
    }
}
