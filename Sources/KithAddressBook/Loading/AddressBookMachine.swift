package import KithModel

/// Decides when the address book's sources are read. It performs no input or output.
///
///     asleep ──asked──▶ loading ──ended──▶ resting ──asked for what is stale, changed──▶ loading
///                        ▲   │                ▲
///                        │   └──failed──▶ pausing ──the time has come, if asked since──▶ loading
///                        └── changed during the load, known only from a cache, or come late
///
/// A *load* reads all stale sources that are wanted, in parallel. There is one load at a time. Its sources count as
/// fresh from its beginning, so a change during the load makes its source stale again, and another load follows. A
/// request during a load is answered by that load.
///
/// A load waits for a limited time: it ends without its slow sources, and shows the results of the others. A slow source
/// is read to its end, and another load then shows its result.
///
/// A load *succeeds* if all its sources could be read, and *fails* if one could not; the results of the others are shown
/// in both cases. A failed source stays stale. It is read again at the next request or change, but not before a pause has
/// passed, so that a request right after a failure does not fail again at once. What the app itself writes to a source is
/// read without that pause, so that it is shown at once. So is a source that the user asks for: by a reload, or with a
/// corrected password. These two still wait if the source's server has asked for a pause.
package struct AddressBookMachine: Sendable {
    /// The state of one source.
    private struct Standing: Hashable {
        /// A number that no other source with this id has had.
        let number: Int
        /// Whether its cards may have changed since the last reading.
        var isStale = true
        /// Whether a load has ended while this source was still being read.
        var isSlow = false
        /// Whether the contacts were requested since then, or an observer waits for differences.
        var isWanted: Bool
        /// Whether the app has written to it since the last reading began.
        var isWritten = false
        /// The number of loads of this source that have ended, with or without success.
        var ends = 0
        /// The number of additional ends that waiting callers expect, because two expected readings became one.
        var owed = 0
        /// The number of failures since the last success.
        var failures = 0
        var retryAt: Timestamp?
        /// Whether the last reading has failed because the server wants to be asked later.
        var isPostponed = false

        mutating func begin() { (isStale, isWanted, isWritten) = (false, false, false) }

        mutating func end() {
            ends += 1 + owed
            owed = 0
        }

        mutating func fail(at now: Timestamp) {
            failures += 1
            let pause = AddressBookMachine.firstPause * (1 << min(failures - 1, 10))
            retryAt = now + min(pause, AddressBookMachine.longestPause)
        }

        /// Ends the pause after a failure, unless the server has asked for it.
        mutating func endPause() {
            if !isPostponed { (failures, retryAt) = (0, nil) }
        }

        func isDue(at now: Timestamp) -> Bool {
            guard isStale, isWanted, !isSlow else { return false }
            if isWritten { return true }
            // If the time is further ahead than the longest pause, the clock was set back.
            guard let retryAt, retryAt <= now + AddressBookMachine.longestPause else { return true }
            return retryAt <= now
        }
    }

    package enum Event: Hashable, Sendable {
        /// The contacts were requested.
        case asked
        /// A new reading of all sources was requested.
        case reload
        /// The cards of a source may have changed.
        case changed(SourceID)
        /// The app has written to a source, or to the device's copy of it.
        case written(SourceID)
        /// A source was opened again, for example with another password.
        case reopened(SourceID)
        case added(SourceID)
        case removed(SourceID)
        /// The links, the region or the order have changed, so the contacts must be arranged again.
        case arranged
        /// A slow source was read. The next load shows its result.
        case arrived(SourceID)
        /// The load has ended, and its result is shown.
        case ended([SourceID: ReadResult])
        /// The time of the timer has come.
        case tick
    }

    /// The result of reading a source.
    package enum ReadResult: Hashable, Sendable {
        case read
        /// Its cards come from a cache. It must still be read.
        case recalled
        case failed
        /// It could not be read, and its server wants to be asked later.
        case postponed
        /// It is still being read.
        case slow
    }

    package enum Action: Hashable, Sendable {
        /// Read these sources, arrange all cards again, and show them.
        case load(Set<SourceID>)
        case wait(until: Timestamp)
        /// Do nothing until the next event.
        case rest
    }

    /// The pause after the first failure. Each further failure doubles it.
    package static let firstPause = Duration.seconds(1)
    package static let longestPause = Duration.seconds(60)
    /// How long a load waits for slow sources.
    package static let loadTimeout = Duration.milliseconds(500)

    private var sources: [SourceID: Standing] = [:]
    /// Whether the contacts were ever requested. Nothing is read before that.
    package private(set) var isAwake = false
    /// The sources that are being read, while a load runs.
    private var loading: Set<SourceID>?
    /// Whether the contacts must be arranged again, even if no source is read.
    private var mustArrange = false
    private var begun = 0
    private var ended = 0
    private var added = 0

    package init() {}

    package mutating func handle(_ event: Event, at now: Timestamp) -> Action {
        switch event {
        case .asked:
            wake()
            for (source, standing) in sources where standing.isStale { sources[source]?.isWanted = true }
        case .reload:
            wake()
            for source in sources.keys { reopen(source) }
        case .changed(let source): makeStale(source)
        case .written(let source):
            makeStale(source)
            sources[source]?.isWritten = true
        case .reopened(let source): reopen(source)
        case .added(let source):
            added += 1
            // The reading in progress is of the replaced source.
            loading?.remove(source)
            sources[source] = Standing(number: added, isWanted: isAwake)
        case .removed(let source):
            sources[source] = nil
            loading?.remove(source)
            mustArrange = isAwake
        case .arranged, .arrived: mustArrange = isAwake
        case .ended(let results):
            loading = nil
            ended += 1
            for (source, result) in results { end(source, result, at: now) }
        case .tick: break
        }
        return next(at: now)
    }

    private mutating func wake() {
        // Arranged even without sources, so that the address book is shown as empty.
        if !isAwake { mustArrange = true }
        isAwake = true
    }

    private mutating func makeStale(_ source: SourceID) {
        sources[source]?.isStale = true
        if isAwake { sources[source]?.isWanted = true }
    }

    private mutating func reopen(_ source: SourceID) {
        makeStale(source)
        sources[source]?.endPause()
    }

    private mutating func end(_ source: SourceID, _ result: ReadResult, at now: Timestamp) {
        guard var standing = sources[source] else { return }
        standing.isSlow = result == .slow
        switch result {
        case .slow: break
        case .read:
            (standing.failures, standing.retryAt, standing.isPostponed) = (0, nil, false)
            standing.end()
        case .recalled:
            // The reading that follows includes what has changed meanwhile.
            if standing.isStale { standing.owed += 1 }
            (standing.isStale, standing.isWanted) = (true, true)
        case .failed, .postponed:
            (standing.isStale, standing.isPostponed) = (true, result == .postponed)
            standing.fail(at: now)
            standing.end()
        }
        sources[source] = standing
    }

    private mutating func next(at now: Timestamp) -> Action {
        guard loading == nil else { return .rest }
        let due = Set(sources.filter { $0.value.isDue(at: now) }.keys)
        if !due.isEmpty || mustArrange {
            for source in due { sources[source]?.begin() }
            (loading, mustArrange) = (due, false)
            begun += 1
            return .load(due)
        }
        let times = sources.values.filter { $0.isStale && $0.isWanted && !$0.isSlow }.compactMap(\.retryAt)
        return times.min().map { .wait(until: $0) } ?? .rest
    }

    // MARK: Waiting for an answer

    /// A request that waits for the ends of some loads.
    package struct Ticket: Hashable, Sendable {
        /// The number of loads that must have ended in total.
        fileprivate var loads: Int
        /// The number of loads that must have ended for each source, by the source's number.
        fileprivate var ends: [Int: Int] = [:]
    }

    /// A ticket for all requests up to now.
    package var ticket: Ticket {
        var ticket = arrangement
        for source in sources.keys { ticket.ends.merge(reading(of: source).ends) { $1 } }
        return ticket
    }

    /// A ticket for an arrangement that includes all decisions up to now, regardless of the sources.
    package var arrangement: Ticket { Ticket(loads: mustArrange ? begun + 1 : loading == nil ? ended : begun) }

    /// A ticket for the reading of one source.
    package func reading(of source: SourceID) -> Ticket {
        var ticket = arrangement
        if let standing = sources[source] {
            let isRead = standing.isSlow || loading?.contains(source) ?? false
            let isToBeRead = standing.isStale && standing.isWanted
            if isRead || isToBeRead {
                ticket.ends[standing.number] = standing.ends + standing.owed + (isRead ? 1 : 0) + (isToBeRead ? 1 : 0)
            }
        }
        return ticket
    }

    /// Whether the request is answered. Removed sources do not count.
    package func isAnswered(_ ticket: Ticket) -> Bool {
        ended >= ticket.loads && sources.values.allSatisfy { $0.ends >= ticket.ends[$0.number] ?? 0 }
    }
}
