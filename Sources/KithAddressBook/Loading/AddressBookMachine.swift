package import KithModel

/// Decides when the address book's sources are read. It performs no input or output.
///
///     asleep ──asked──▶ loading ──ended──▶ resting ──asked for what is stale, changed──▶ loading
///                        ▲   │                ▲
///                        │   └──failed──▶ pausing ──the time has come, if asked since──▶ loading
///                        └── changed during the load, known only from a cache, or come late
///
/// A *load* reads all sources that are stale and wanted, at once; there is one
/// load at a time. It makes all sources that it reads fresh as it begins, so that a change
/// that comes while it runs makes its source stale again, and another load
/// follows. Asking during a load adds none: it is that load's answer that was asked for.
///
/// A load has *patience*: it ends without those that are slow, so that what the others gave is shown. A slow source is
/// still being read then; another load follows when it comes, to show what it gave.
///
/// A load *succeeds* if every source that it reads could be read, and *fails* if
/// one could not; what the others gave is shown in either case. A source
/// that failed stays stale, and is read again when somebody next asks or it next
/// changes, but not before a pause has passed: whoever asks in the very moment of hearing of a
/// failure asks in vain until then.
package struct AddressBookMachine: Sendable {
    package typealias SourceID = AddressBook.SourceID

    /// What is known of one source.
    private struct Standing: Hashable {
        /// Tells it from an earlier one of the same name.
        let number: Int
        /// Its cards may have changed since they were last read.
        var isStale = true
        /// A load has begun to read it, and went on without it.
        var isSlow = false
        /// Somebody has asked for the contacts since, or has heard them and would hear the difference.
        var isWanted: Bool
        /// How many loads have ended for it, well or not.
        var ends = 0
        /// How many ends it owes to those who wait: two readings that they wait for may become one.
        var owed = 0
        /// How many have failed since one last did not.
        var failures = 0
        var retryAt: Timestamp?

        mutating func begin() { (isStale, isWanted) = (false, false) }

        mutating func end() {
            ends += 1 + owed
            owed = 0
        }

        mutating func fail(at now: Timestamp) {
            failures += 1
            let pause = AddressBookMachine.firstPause * (1 << min(failures - 1, 10))
            retryAt = now + min(pause, AddressBookMachine.longestPause)
        }

        func isDue(at now: Timestamp) -> Bool {
            guard isStale, isWanted, !isSlow else { return false }
            // A time that lies further ahead than any pause shows that the clock was set back.
            guard let retryAt, retryAt <= now + AddressBookMachine.longestPause else { return true }
            return retryAt <= now
        }
    }

    package enum Event: Hashable, Sendable {
        /// Somebody wants the contacts.
        case asked
        /// Somebody wants them read again.
        case reload
        /// The cards of a source may have changed.
        case changed(SourceID)
        case added(SourceID)
        case removed(SourceID)
        /// What is shown of the cards has changed: links, the region, the order.
        case arranged
        /// A slow source has come: the next load is to show what it gave.
        case arrived(SourceID)
        /// The load is over, and its answer can be read.
        case ended([SourceID: Ending])
        /// The time that was asked for has come.
        case tick
    }

    /// What became of a source that was to be read.
    package enum Ending: Hashable, Sendable {
        case read
        /// It was found in a cache, and is still to be read.
        case recalled
        case failed
        /// It is still being read.
        case slow
    }

    package enum Action: Hashable, Sendable {
        /// Reads these sources, arranges all cards again, and shows them.
        case load(Set<SourceID>)
        case wait(until: Timestamp)
        /// Nothing until the next event.
        case rest
    }

    /// After the first failure. Each that follows it doubles the pause.
    package static let firstPause = Duration.seconds(1)
    package static let longestPause = Duration.seconds(60)
    /// How long a load waits for its sources before it shows what has come.
    package static let patience = Duration.milliseconds(500)

    private var sources: [SourceID: Standing] = [:]
    /// Whether anybody has ever asked. Until then nothing is read.
    package private(set) var isAwake = false
    /// The sources that are being read, while a load runs.
    private var loading: Set<SourceID>?
    /// What is shown must be made again, even if no source is to be read.
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
            for source in sources.keys { makeStale(source) }
        case .changed(let source): makeStale(source)
        case .added(let source):
            added += 1
            // What is being read is read of the one before.
            loading?.remove(source)
            sources[source] = Standing(number: added, isWanted: isAwake)
        case .removed(let source):
            sources[source] = nil
            loading?.remove(source)
            mustArrange = isAwake
        case .arranged, .arrived: mustArrange = isAwake
        case .ended(let endings):
            loading = nil
            ended += 1
            for (source, ending) in endings { end(source, ending, at: now) }
        case .tick: break
        }
        return next(at: now)
    }

    private mutating func wake() {
        // A book without sources is empty, and shown so.
        if !isAwake { mustArrange = true }
        isAwake = true
    }

    private mutating func makeStale(_ source: SourceID) {
        sources[source]?.isStale = true
        if isAwake { sources[source]?.isWanted = true }
    }

    private mutating func end(_ source: SourceID, _ ending: Ending, at now: Timestamp) {
        guard var standing = sources[source] else { return }
        standing.isSlow = ending == .slow
        switch ending {
        case .slow: break
        case .read:
            (standing.failures, standing.retryAt) = (0, nil)
            standing.end()
        case .recalled:
            // The reading that is to follow does for what has changed meanwhile too.
            if standing.isStale { standing.owed += 1 }
            (standing.isStale, standing.isWanted) = (true, true)
        case .failed:
            standing.isStale = true
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

    /// What somebody who asks waits for: the ends of some loads.
    package struct Ticket: Hashable, Sendable {
        /// How many loads must have ended in all.
        fileprivate var loads: Int
        /// How many must have ended for each source that was to be read, by the number of its standing.
        fileprivate var ends: [Int: Int] = [:]
    }

    /// A ticket for what was asked for up to now.
    package var ticket: Ticket {
        var ticket = arrangement
        for source in sources.keys { ticket.ends.merge(reading(of: source).ends) { $1 } }
        return ticket
    }

    /// A ticket for what is shown to be arranged by what was said up to now, whatever the sources do.
    package var arrangement: Ticket { Ticket(loads: mustArrange ? begun + 1 : loading == nil ? ended : begun) }

    /// A ticket for one source to be read.
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

    /// Whether what was asked for has been answered. Sources that are gone are waited for no longer.
    package func isAnswered(_ ticket: Ticket) -> Bool {
        ended >= ticket.loads && sources.values.allSatisfy { $0.ends >= ticket.ends[$0.number] ?? 0 }
    }
}
