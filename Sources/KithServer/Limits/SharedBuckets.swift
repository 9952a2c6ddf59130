/// Token buckets that several nodes share. Each node decides alone, and about every second it tells the others what it
/// has admitted.
///
/// The nodes have a common table with the time until each bucket is full. A node adds what was taken on it, and gets
/// the times that include what all nodes have added:
///
///     take, take, … ──report──▶ the table adds it ──answer──▶ merge
///                       │                                       ▲
///                       └── failed ──▶ put back, report again ──┘
///
/// A caller who uses one node gets the whole rate. A caller who uses all nodes at the same moment gets more than the
/// rate once: at most ``excess(nodes:every:)``. The others' tokens then are a debt of the bucket on each node, so the
/// excess does not grow: over a long time, the rate holds.
///
/// The times are those until a bucket is full, not moments, so the clocks of the nodes need not agree.
///
/// A server that shares nothing uses them as ``TokenBuckets``: it keeps nothing to report.
package struct SharedBuckets<Caller: Hashable & Sendable>: Sendable {
    /// The tokens that a caller has taken on one node since the last report.
    package struct Taken: Hashable, Sendable {
        package var amount: Int
        /// The time since the first of them.
        package var age: Duration

        package init(amount: Int, age: Duration) {
            self.amount = amount
            self.age = age
        }
    }

    private struct Untold {
        var amount = 0
        var since: Duration
    }

    package let rate: Rate
    /// A caller who has taken fewer tokens than this since the last report is not reported: most callers take few.
    package let threshold: Int
    private let isShared: Bool
    private var buckets: TokenBuckets<Caller>
    /// The tokens that were taken here since the last report.
    private var untold: [Caller: Untold] = [:]
    /// The report that has no answer yet.
    private var reported: [Caller: Untold]?

    /// Full buckets. If they are not `isShared`, nothing is reported.
    package init(_ rate: Rate, isShared: Bool = true, capacity: Int = 100_000) {
        self.rate = rate
        self.isShared = isShared
        threshold = max(1, rate.burst / 8)
        buckets = TokenBuckets(rate, capacity: capacity)
    }

    // MARK: Taking

    /// Takes one token from the bucket of `caller`, as ``TokenBuckets/take(from:at:)`` does.
    ///
    /// - Returns: nil if there was a token, else the time until there is one.
    package mutating func take(from caller: Caller, at now: Duration) -> Duration? {
        if let wait = buckets.take(from: caller, at: now) { return wait }
        note(1, by: caller, since: now)
        return nil
    }

    /// The time until the bucket of `caller` is out of debt; nil if it has no debt.
    package func debt(of caller: Caller, at now: Duration) -> Duration? { buckets.debt(of: caller, at: now) }

    /// Takes `amount` tokens from the bucket of `caller`, even if it has fewer.
    package mutating func charge(_ amount: Int, to caller: Caller, at now: Duration) {
        buckets.charge(amount, to: caller, at: now)
        note(amount, by: caller, since: now)
    }

    /// The number of callers with unreported tokens. It has the same limit as the buckets: beyond it, the tokens of
    /// further callers count on this node only.
    package var unreported: Int { untold.count }

    private mutating func note(_ amount: Int, by caller: Caller, since moment: Duration) {
        guard isShared, untold[caller] != nil || untold.count < buckets.capacity else { return }
        untold[caller, default: Untold(since: moment)].amount += amount
    }

    // MARK: Sharing

    /// The tokens to add to the table. They are part of a report until ``merge(_:at:)`` or ``putBack()`` is called;
    /// until then, there is no other report.
    ///
    /// - Parameters:
    ///   - now: The server's uptime.
    ///   - most: The most callers. Those come first who have taken most; the others are in the next report.
    /// - Returns: What each caller has taken.
    package mutating func report(at now: Duration, most: Int = Int(RateUse.most)) -> [Caller: Taken] {
        guard reported == nil else { return [:] }
        var report = untold.filter { $0.value.amount >= threshold }
        if report.count > most {
            let first = report.sorted { $0.value.amount > $1.value.amount }.prefix(most)
            report = Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0.value) })
        }
        untold = untold.filter { caller, _ in
            // Tokens that are earned again matter to nobody.
            report[caller] == nil && buckets.timeToFull(of: caller, at: now) > .zero
        }
        reported = report
        return report.mapValues { Taken(amount: $0.amount, age: now - $0.since) }
    }

    /// Takes the table's answer: the time until the bucket is full, for the callers of the report and for those that
    /// others have reported.
    package mutating func merge(_ times: [Caller: Duration], at now: Duration) {
        reported = nil
        for (caller, time) in times {
            buckets.lower(caller, toTimeToFull: time + rate.price * (untold[caller]?.amount ?? 0), at: now)
        }
    }

    /// Takes back a report that has failed, or has no answer. It is sent again with the next one. If the table has it
    /// after all, those callers wait a little longer than they must.
    package mutating func putBack() {
        for (caller, tokens) in reported ?? [:] {
            note(tokens.amount, by: caller, since: tokens.since)
            untold[caller]?.since = tokens.since
        }
        reported = nil
    }

    // MARK: The bound

    /// The most tokens beyond the rate that a caller can get from `nodes` nodes that exchange reports at this interval.
    ///
    /// Each other node can admit a burst and what is earned until it reports, besides what is too little for a report.
    /// The table may count the tokens of one interval as earned. A charge of many tokens adds its rest.
    package func excess(nodes: Int, every interval: Duration) -> Int {
        guard nodes > 1 else { return 0 }
        let earned = Int((interval / rate.price).rounded(.up))
        return (nodes - 1) * (rate.burst + threshold + earned) + earned
    }
}
