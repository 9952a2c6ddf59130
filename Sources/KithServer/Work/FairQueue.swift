/// A limited number of work places, and a queue before them that is fair between owners.
///
/// The next work is from the owner with the least recent work (start-time fair queueing, Goyal, Vin and Cheng, 1996).
/// Each owner has a virtual time, which advances by the cost of its work. The owner with the earliest time is next. A
/// new owner starts with the time of the work that was begun last, so nobody saves up time. With equal costs, this
/// is round robin. The queue reads no clock.
package struct FairQueue<Owner: Hashable & Sendable>: Sendable {
    /// A piece of work.
    package typealias Ticket = Int

    /// The decision about a new piece of work.
    package enum Entry: Hashable, Sendable {
        /// The work begins immediately.
        case begin(Ticket)
        /// The work begins when ``leave(_:)`` returns its ticket.
        case wait(Ticket)
        /// The work is refused because the queue is full.
        case refuse
    }

    private struct Waiting {
        let ticket: Ticket
        let cost: Int
        /// Whether the work counts toward the limits of the queue.
        let isCounted: Bool
    }

    private let places: Int
    private var waiting: FairShare<Owner>
    private var queues: [Owner: [Waiting]] = [:]
    /// The virtual start time of each owner's next work; only for owners that are ahead of ``time``.
    private var next: [Owner: Int] = [:]
    /// The virtual time of the work that was begun last.
    private var time = 0
    private var working = 0
    private var last: Ticket = 0

    /// A queue for `places` places. At most `waiting` pieces of work wait, and at most `each` of one owner.
    package init(places: Int, waiting: Int, each: Int) {
        self.places = max(1, places)
        self.waiting = FairShare(total: waiting, each: each)
    }

    /// The number of waiting pieces of work.
    package var count: Int { waiting.used }

    /// Adds a piece of work of `owner` with the given cost.
    ///
    /// Work that continues earlier work is never refused, because the earlier work would be wasted.
    package mutating func enter(_ owner: Owner, cost: Int, goesOn: Bool = false) -> Entry {
        if working < places {
            begin(owner, cost)
            last += 1
            return .begin(last)
        }
        let isCounted = waiting.take(by: owner)
        guard isCounted || goesOn else { return .refuse }
        last += 1
        queues[owner, default: []].append(Waiting(ticket: last, cost: cost, isCounted: isCounted))
        return .wait(last)
    }

    /// Removes a finished piece of work.
    ///
    /// - Returns: The ticket of the work that begins now; nil if none waits.
    package mutating func leave() -> Ticket? {
        working -= 1
        // A linear search suffices: at most a few hundred owners wait, and the work takes milliseconds.
        let first = queues.min { left, right in
            let (leftTime, rightTime) = (start(of: left.key), start(of: right.key))
            return leftTime == rightTime
                ? left.value[0].ticket < right.value[0].ticket : leftTime < rightTime
        }
        guard let owner = first?.key, var queue = first?.value else {
            // Nothing waits or runs, so no owner is ahead.
            if working == 0 { next = [:] }
            return nil
        }
        let chosen = queue.removeFirst()
        queues[owner] = queue.isEmpty ? nil : queue
        if chosen.isCounted { waiting.giveBack(by: owner) }
        begin(owner, chosen.cost)
        return chosen.ticket
    }

    private func start(of owner: Owner) -> Int { max(time, next[owner] ?? 0) }

    private mutating func begin(_ owner: Owner, _ cost: Int) {
        working += 1
        let start = start(of: owner)
        time = start
        next[owner] = start + max(1, cost)
        if next.count > 10_000 { next = next.filter { $0.value > time } }
    }
}
