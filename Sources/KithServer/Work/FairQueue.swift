/// Who works next, and who waits: a few places, and before them a queue that is fair between its owners.
///
/// The next is whoever's owner has had the least work done of late (start-time fair queueing, Goyal, Vin and Cheng,
/// 1996): each owner has a time of its own that moves on with the cost of its work, and the owner with the earliest time
/// is next. Someone who comes new begins with the time of the work that was begun last, so nobody saves up turns. With
/// equal costs that is round robin. It reads no clock.
package struct FairQueue<Owner: Hashable & Sendable>: Sendable {
    /// A piece of work.
    package typealias Ticket = Int

    /// What becomes of a piece of work that comes.
    package enum Entry: Hashable, Sendable {
        /// It begins at once.
        case begin(Ticket)
        /// It begins when ``leave(_:)`` says so.
        case wait(Ticket)
        /// Too much waits already.
        case refuse
    }

    private struct Waiting {
        let ticket: Ticket
        let cost: Int
        /// Whether it takes up room in the queue.
        let isCounted: Bool
    }

    private let places: Int
    private var waiting: FairShare<Owner>
    private var queues: [Owner: [Waiting]] = [:]
    /// When each owner's next work begins, in the owner's time; only of those that are ahead of ``time``.
    private var next: [Owner: Int] = [:]
    /// The time of the work that was begun last.
    private var time = 0
    private var working = 0
    private var last: Ticket = 0

    /// A queue before so many places, in which at most `waiting` wait, and `each` of one owner.
    package init(places: Int, waiting: Int, each: Int) {
        self.places = max(1, places)
        self.waiting = FairShare(total: waiting, each: each)
    }

    /// How much waits.
    package var count: Int { waiting.used }

    /// A piece of work of `owner` comes, which costs so much.
    ///
    /// What goes on with work that was begun is never refused: it would have been done for nothing.
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

    /// A piece of work is done.
    ///
    /// - Returns: The piece that begins now; nil if none waits.
    package mutating func leave() -> Ticket? {
        working -= 1
        // Whoever waits is one of few hundreds, and the work takes milliseconds.
        let first = queues.min { left, right in
            let (leftTime, rightTime) = (start(of: left.key), start(of: right.key))
            return leftTime == rightTime
                ? left.value[0].ticket < right.value[0].ticket : leftTime < rightTime
        }
        guard let owner = first?.key, var queue = first?.value else {
            // Nobody waits, so nobody is ahead of anybody.
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
