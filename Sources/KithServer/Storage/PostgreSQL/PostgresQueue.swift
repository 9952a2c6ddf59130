/// The transactions that wait for a thread, first come, first served.
///
/// Only a write is passed by later reads, while as many writes as permitted run.
struct PostgresQueue {
    private let limit: Int
    private let writers: Int
    private var reads = Line()
    private var writes = Line()
    private var writing = 0
    private var arrivals = 0

    /// - Parameters:
    ///   - limit: The maximum number of transactions that wait.
    ///   - writers: The maximum number of writes that run.
    init(limit: Int, writers: Int) {
        self.limit = limit
        self.writers = writers
    }

    /// The number of transactions that wait.
    var count: Int { reads.count + writes.count }

    /// Adds a transaction, unless too many wait.
    mutating func append(_ job: PostgresJob) -> Bool {
        guard count < limit else { return false }
        arrivals += 1
        if job.mode == .read { reads.append(job, arrivals) } else { writes.append(job, arrivals) }
        return true
    }

    /// Takes the next transaction that may run. ``finished(_:)`` must follow.
    mutating func next() -> PostgresJob? {
        let write = writing < writers ? writes.first : nil
        guard let write, write < reads.first ?? .max else { return reads.removeFirst() }
        writing += 1
        return writes.removeFirst()
    }

    /// Records that a transaction has ended.
    ///
    /// - Returns: Whether a waiting write may begin now.
    mutating func finished(_ job: PostgresJob) -> Bool {
        if job.mode == .read { return false }
        writing -= 1
        return writes.count > 0
    }

    /// Removes those that have waited too long. They all may wait equally long, so these are the first ones.
    mutating func removeOverdue(at now: ContinuousClock.Instant) -> [PostgresJob] {
        reads.removeOverdue(at: now) + writes.removeOverdue(at: now)
    }

    /// Jobs in the order of their numbers.
    private struct Line {
        private var jobs: [(job: PostgresJob, number: Int)] = []
        /// The jobs before this index were removed.
        private var start = 0

        var count: Int { jobs.count - start }

        /// The number of the first job.
        var first: Int? { count == 0 ? nil : jobs[start].number }

        mutating func append(_ job: PostgresJob, _ number: Int) { jobs.append((job, number)) }

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
            return jobs[start].job
        }

        mutating func removeOverdue(at now: ContinuousClock.Instant) -> [PostgresJob] {
            var overdue: [PostgresJob] = []
            while count > 0, jobs[start].job.deadline <= now, let job = removeFirst() { overdue.append(job) }
            return overdue
        }
    }
}
