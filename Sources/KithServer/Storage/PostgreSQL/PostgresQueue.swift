import KithModel

/// The transactions that wait for a thread, first come, first served.
///
/// As many writes as permitted run, and one at a time of those that wait for the turn of the same feed. Later
/// transactions pass those that may not begin.
///
///     reads   ── read ── read ─────────────────────▶
///     writes  ── of Y ── of none ──────────────────▶ threads: a write of X
///     behind     of Y's  ── of Y
///                of X's  ── of X ── of X               joined when the running write of X has ended
package struct PostgresQueue {
    /// What happened to a transaction that has come.
    package enum Admission: Hashable, Sendable {
        /// It was not added, because this many wait already, for a thread or for its turn.
        case refused(waiting: Int)
        /// It waits until another write to the same feed has ended or begins.
        case behind
        /// It begins as soon as there is a thread.
        case ready
    }

    private let limit: Int
    private let writers: Int
    private let joined: Int
    private var reads = Line()
    /// The writes that wait for no turn, and the first write of each feed of which none runs.
    private var writes = Line()
    /// The feeds of which a write runs, or is in ``writes``.
    private var occupied: Set<FeedID> = []
    /// The other writes that wait for the turns of these feeds. No line is empty.
    private var behind: [FeedID: Line] = [:]
    private var writing = 0
    private var arrivals = 0

    /// - Parameters:
    ///   - limit: The maximum number of transactions that wait. Half of them may wait for the turn of one feed.
    ///   - writers: The maximum number of writes that run; joined writes count as one.
    ///   - joined: The maximum number of writes in one transaction.
    package init(limit: Int, writers: Int, joined: Int) {
        (self.limit, self.writers, self.joined) = (limit, writers, joined)
    }

    /// The number of transactions that wait.
    package var count: Int { behind.values.reduce(reads.count + writes.count) { $0 + $1.count } }

    /// Adds a transaction, unless too many wait.
    package mutating func append(_ job: PostgresJob) -> Admission {
        guard count < limit else { return .refused(waiting: limit) }
        // Those of one feed must not take the places of all others.
        if let feed = job.turn?.feed, let line = behind[feed], line.count >= max(1, limit / 2) {
            return .refused(waiting: line.count)
        }
        arrivals += 1
        var job = job
        job.arrival = arrivals
        if job.mode == .read {
            reads.insert(job)
        } else if let feed = job.turn?.feed, !occupied.insert(feed).inserted {
            behind[feed, default: Line()].insert(job)
            return .behind
        } else {
            writes.insert(job)
        }
        return .ready
    }

    /// Takes the next transaction that may run: none, one, or several writes that are joined.
    /// ``finished(_:leaving:)`` must follow.
    package mutating func next() -> [PostgresJob] {
        let write = writing < writers ? writes.first : nil
        guard let write, write.arrival < reads.first?.arrival ?? .max else {
            return reads.removeFirst().map { [$0] } ?? []
        }
        writing += 1
        _ = writes.removeFirst()
        return [write] + removeJoining(write)
    }

    /// Takes the writes that share a transaction with `first`, up to one that needs its own.
    private mutating func removeJoining(_ first: PostgresJob) -> [PostgresJob] {
        guard let feed = first.turn?.feed, first.isJoinable, var line = behind[feed] else { return [] }
        var others: [PostgresJob] = []
        while others.count + 1 < joined, line.first?.isJoinable == true, let job = line.removeFirst() {
            others.append(job)
        }
        behind[feed] = line.count > 0 ? line : nil
        return others
    }

    /// Records that a transaction has ended.
    ///
    /// - Parameters:
    ///   - job: The first of the jobs that ``next()`` has returned.
    ///   - left: Those that still have to run: in their places of the line, or, without a turn, when there is a thread.
    /// - Returns: How many waiting transactions may begin now because of this.
    package mutating func finished(_ job: PostgresJob, leaving left: [PostgresJob] = []) -> Int {
        if job.mode == .read {
            for job in left { reads.insert(job) }
            return left.count
        }
        writing -= 1
        for job in left {
            if let feed = job.turn?.feed { behind[feed, default: Line()].insert(job) } else { writes.insert(job) }
        }
        if let feed = job.turn?.feed { passTurn(of: feed) }
        return min(writes.count, 1 + left.count)
    }

    /// Lets the next write to `feed` begin, now that none of them runs.
    private mutating func passTurn(of feed: FeedID) {
        guard var line = behind[feed], let next = line.removeFirst() else {
            occupied.remove(feed)
            return
        }
        behind[feed] = line.count > 0 ? line : nil
        writes.insert(next)
    }

    /// Removes those that have waited too long. All may wait equally long, so these are the first ones of each line.
    package mutating func removeOverdue(at now: ContinuousClock.Instant) -> [PostgresJob] {
        var overdue = reads.removeOverdue(at: now)
        for (feed, var line) in behind {
            let late = line.removeOverdue(at: now)
            if late.isEmpty { continue }
            overdue += late
            behind[feed] = line.count > 0 ? line : nil
        }
        let late = writes.removeOverdue(at: now)
        for feed in late.compactMap({ $0.turn?.feed }) { passTurn(of: feed) }
        return overdue + late
    }

    /// Jobs in the order of their arrivals.
    private struct Line {
        private var jobs: [PostgresJob] = []
        /// The jobs before this index were removed.
        private var start = 0

        var count: Int { jobs.count - start }

        var first: PostgresJob? { count == 0 ? nil : jobs[start] }

        /// Adds a job, which is mostly the last one.
        mutating func insert(_ job: PostgresJob) {
            let later = jobs[start...].reversed().prefix { $0.arrival > job.arrival }
            jobs.insert(job, at: jobs.count - later.count)
        }

        mutating func removeFirst() -> PostgresJob? {
            guard count > 0 else { return nil }
            defer {
                start += 1
                // Moves the others only when half of the jobs are removed.
                if 2 * start >= jobs.count {
                    jobs.removeFirst(start)
                    start = 0
                }
            }
            return jobs[start]
        }

        mutating func removeOverdue(at now: ContinuousClock.Instant) -> [PostgresJob] {
            var overdue: [PostgresJob] = []
            while let next = first, next.deadline <= now, let job = removeFirst() { overdue.append(job) }
            return overdue
        }
    }
}
