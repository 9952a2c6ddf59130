import KithModel
package import Logging
import ServiceLifecycle
import Synchronization

/// Hears the signals of the other nodes of a database, and has ``NodeTeller`` tell them those of this one.
///
/// A shell around ``HighWaterMark`` and ``NodeLeases``. What it hears arrives at the same ``SignalSender`` as the signals
/// of this node, so streams, pages, jobs and presence do not know where a signal comes from.
package final class Nodes: Service {
    private struct State {
        var mark = HighWaterMark()
        var leases: NodeLeases
        var clockOffset = ClockOffset()
        /// Whether the listening connection is open.
        var isListening = false
        /// Whether it has been opened or lost since the last poll began.
        var wasInterrupted = true
        /// Whether the last poll has failed. Only the first failure of several is logged.
        var isFailing = false
        /// Whether a newer program has upgraded the database, or is about to, so that this node must stop.
        var isSuperseded = false
    }

    /// How many notices wait to be delivered. Further ones are found by a poll.
    private static let waiting = 4_096

    private let link: NodeLink
    private let teller: NodeTeller
    private let hub: LiveHub
    private let listStreams: ListStreams
    private let local: SignalSender
    private let times: NodeTimes
    private let clock: ServerClock
    private let logger: Logger
    private let whenSuperseded: @Sendable () -> Void
    private let state: Mutex<State>
    private let events: AsyncStream<NodeListener.Event>
    private let listener: NodeListener
    private let pollBell = Bell()
    private let circleBell = Bell()

    /// - Parameters:
    ///   - link: The connections.
    ///   - hub: The live streams of this node.
    ///   - listStreams: The open pages of this node.
    ///   - local: Sends signals within this node.
    ///   - times: The intervals.
    ///   - clock: The source of the time.
    ///   - logger: The logger of the server.
    ///   - whenSuperseded: Called once if a newer program needs the database for itself. It stops the server.
    package init(
        _ link: NodeLink, hub: LiveHub, listStreams: ListStreams, local: SignalSender, times: NodeTimes = NodeTimes(),
        clock: ServerClock, logger: Logger, whenSuperseded: @escaping @Sendable () -> Void = {}
    ) {
        (self.link, self.hub, self.listStreams, self.local) = (link, hub, listStreams, local)
        (self.times, self.clock, self.logger) = (times, clock, logger)
        self.whenSuperseded = whenSuperseded
        teller = NodeTeller(link, hub: hub, times: times, clock: clock, logger: logger)
        state = Mutex(State(leases: NodeLeases(of: link.node, lease: times.lease)))
        let (events, continuation) = AsyncStream<NodeListener.Event>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waiting))
        self.events = events
        let overflow = Overflow()
        listener = NodeListener(checking: times.checking, link.listen) { event in
            // The next event that fits tells of those that did not.
            if overflow.isOver.withLock({ $0 }) {
                guard case .enqueued = continuation.yield(.listening) else { return }
                overflow.isOver.withLock { $0 = false }
            }
            if case .dropped = continuation.yield(event) { overflow.isOver.withLock { $0 = true } }
        }
    }

    /// Whether events were dropped.
    private final class Overflow: Sendable {
        let isOver = Mutex(false)
    }

    /// Sends signals within this node and to the others.
    package var sender: SignalSender {
        SignalSender { [self] signals, device in
            state.withLock { $0.mark.name(signals.moved) }
            teller.add(signals, by: device)
            await local.send(signals, by: device)
        }
    }

    // MARK: Hearing

    private func hear(_ event: NodeListener.Event) async {
        switch event {
        case .listening:
            state.withLock { state in
                (state.isListening, state.wasInterrupted) = (true, true)
                state.mark.noteGap()
            }
            pollBell.ring()
        case .lost(let reason):
            let isNew = state.withLock { state in
                defer { (state.isListening, state.wasInterrupted) = (false, true) }
                state.mark.noteGap()
                return state.isListening
            }
            if isNew {
                logger.warning(
                    "Notices of other nodes are not heard. Polls find the changes until the connection is back.",
                    metadata: ["cause": "\(reason)"])
            }
        case .heard(let text):
            guard let notice = NodeNotice(text) else { return pollAfterGap() }
            await hear(notice)
        }
    }

    private func hear(_ notice: NodeNotice) async {
        let isOwn = notice.node == link.node
        let heard = state.withLock { state -> HighWaterMark.Heard in
            if !isOwn {
                state.mark.name(notice.moved.keys)
                if let changes = notice.changes { state.leases.hear(changes: changes, of: notice.node) }
            }
            return notice.number.map { state.mark.hear(number: $0) } ?? .next
        }
        if heard == .afterGap { pollBell.ring() }
        if isOwn || heard == .known { return }
        await deliver(notice)
    }

    /// Polls for everything that has changed, also for what notices have named.
    private func pollAfterGap() {
        state.withLock { $0.mark.noteGap() }
        pollBell.ring()
    }

    private func deliver(_ notice: NodeNotice) async {
        if notice.node == link.node { return }
        if notice.isLost { startOver() }
        if notice.hasMoreFeeds { pollAfterGap() }
        for (mover, feeds) in Dictionary(grouping: notice.moved.keys, by: { notice.moved[$0] ?? .others }) {
            switch mover {
            case .device(let device): await local.send(Signals(moved: Set(feeds)), by: device)
            case .others: await local.send(Signals(moved: Set(feeds)))
            }
        }
        await deliver(notice.signals)
        if notice.presence.isEmpty { return }
        hub.changePresence { register, _ in
            notice.presence.reduce(into: Set<LiveRegister.ID>()) { $0.formUnion(register.hear($1, at: notice.node)) }
        }
        circleBell.ring()
    }

    /// Delivers signals. Circles are read by a task of their own, so that notices do not wait for the database.
    private func deliver(_ signals: Signals) async {
        var signals = signals
        let circles = signals.circles
        signals.circles = []
        await local.send(signals)
        if circles.isEmpty { return }
        hub.withPresence { _ = $0.ask(circles) }
        circleBell.ring()
    }

    // MARK: Polling

    /// Stores the first heartbeat, and notes how far the database is. Call it before streams are opened.
    ///
    /// - Returns: Whether the server may run. If not, a newer program has upgraded the database since it was opened, or
    ///   is about to, and does not wait for a node that has no heartbeat.
    @discardableResult package func begin() async -> Bool { await poll(isFirst: true) }

    /// Writes a heartbeat, and looks for what was missed.
    ///
    /// - Returns: Whether this program may use the database, as far as is known.
    @discardableResult private func poll(isFirst: Bool = false) async -> Bool {
        let (question, isListening) = state.withLock { state in
            defer { state.wasInterrupted = false }
            return (state.mark.begin(), state.isListening && !state.wasInterrupted)
        }
        do {
            guard try await beat() else {
                state.withLock { $0.mark.fail(question) }
                if !isFirst { noteSuperseded() }
                return false
            }
            let (missed, outcome) = try await findMissed(question, isListening: isListening)
            // Without a mark it is not known what the open streams have missed.
            if question.after == nil, !isFirst { startOver() }
            await deliver(missed)
            await end(outcome.ended)
            await readPresence(of: outcome.unread)
        } catch {
            state.withLock { $0.mark.fail(question) }
            noteFailure(error)
        }
        return true
    }

    /// Writes a heartbeat.
    ///
    /// - Returns: Whether this program may use the database. If not, a newer one needs it, and nothing is written.
    private func beat() async throws -> Bool {
        let (node, now) = (link.node, clock.time())
        let hasForgotten = hub.withPresence { $0.hasForgotten }
        let migrations = link.database.migrations
        let isNew = try await link.database.write { transaction -> Bool? in
            // A newer program that waits for this node counts its heartbeats.
            guard try migrations.isAdmitted(in: transaction) else { return nil }
            if hasForgotten { try NodeRow.stop(node, in: transaction) }
            return try NodeRow.beat(node, at: now, in: transaction)
        }
        guard let isNew else { return false }
        if isNew {
            hub.withPresence { $0.untellAll(at: now) }
            link.ring()
        }
        return true
    }

    /// Reads what this node has missed, and which nodes have ended or cannot be read.
    private func findMissed(
        _ question: HighWaterMark.Question, isListening: Bool
    ) async throws -> (HighWaterMark.Missed, NodeLeases.Outcome) {
        let asked = clock.time()
        let poll = try await link.database.read { try NodePoll(question, in: $0) }
        checkClock(poll.time, since: asked)
        return state.withLock { state in
            state.isFailing = false
            return (
                state.mark.end(question, poll.found, isListening: isListening),
                state.leases.see(
                    poll.rows, revision: poll.found.mark.revision, at: clock.uptime(), isGap: !isListening)
            )
        }
    }

    /// Logs the first of several failures.
    private func noteFailure(_ error: any Error) {
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew {
            logger.warning("The poll for signals failed; it is tried again.", metadata: ["cause": "\(error)"])
        }
    }

    /// Logs once if the clock of this node is wrong. `time` is that of the database, asked for at `before` by this clock.
    private func checkClock(_ time: Timestamp, since before: Timestamp) {
        let now = clock.time()
        guard let ahead = state.withLock({ $0.clockOffset.see(time, between: before, and: now) }) else { return }
        logger.warning(
            "The clock of this server differs from that of PostgreSQL by more than a minute. Set it by NTP.",
            metadata: ["secondsAhead": "\(ahead.components.seconds)"])
    }

    private func noteSuperseded() {
        let isNew = state.withLock { state in
            defer { state.isSuperseded = true }
            return !state.isSuperseded
        }
        guard isNew else { return }
        logger.critical("A newer program upgrades the database. This server stops; start the newer program here.")
        whenSuperseded()
    }

    private func deliver(_ missed: HighWaterMark.Missed) async {
        if missed.isEverything { startOver() }
        for notice in missed.notices { await deliver(notice) }
        await deliver(moved: missed.feeds)
    }

    /// Ends the streams of devices, and has all pages load again. It is not known what they have missed.
    private func startOver() {
        hub.endAll()
        listStreams.allChanged()
    }

    /// Delivers feeds that were found in the database. A circle is in its account's feed, so it may have changed too.
    private func deliver(moved feeds: Set<FeedID>) async {
        var signals = Signals(moved: feeds)
        signals.circles = Set(feeds.map { $0.retyped() })
        await deliver(signals)
    }

    /// Takes the people of nodes that have ended offline. Such a node may have committed what it has not told: closed
    /// sessions, moved feeds, and gifts, which are found nowhere.
    private func end(_ nodes: [NodeLeases.Ended]) async {
        guard let since = nodes.map(\.since).min() else { return }
        for node in nodes {
            hub.changePresence { register, _ in register.end(node.row.node, at: node.row.time) }
            if node.isStored { try? await link.database.write { try node.row.remove(in: $0) } }
        }
        let sessions = Set(hub.sessions.compactMap { SessionID($0) })
        let found = try? await link.database.read { transaction in
            (
                feeds: try NodePoll.feeds(after: since, in: transaction),
                ended: try SessionCheck.ended(sessions, in: transaction)
            )
        }
        guard let found, let feeds = found.feeds else { return startOver() }
        for session in found.ended { hub.end(session: session.description) }
        listStreams.allChanged()
        await deliver(moved: Set(feeds.keys))
    }

    private func readPresence(of nodes: Set<NodeID>) async {
        for node in nodes.sorted() {
            hub.withPresence { $0.beginReadingNode() }
            let rows = try? await link.database.read { try PresenceRow.read(at: node, in: $0) }
            hub.changePresence { $0.endReading(of: node, rows, at: $1) }
            if rows == nil { state.withLock { $0.leases.noteUnread(node) } }
        }
        if !nodes.isEmpty { circleBell.ring() }
    }

    // MARK: Running

    /// Tells and hears until the server stops or the task is cancelled. The last signals are told then.
    package func run() async {
        listener.start()
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.teller.run() }
                group.addTask { for await event in self.events { await self.hear(event) } }
                group.addTask { for await _ in self.pollBell.stream { await self.poll() } }
                group.addTask {
                    for await _ in self.circleBell.stream {
                        let accounts = self.hub.withPresence { $0.unansweredAccounts }
                        await self.hub.readCircles(of: accounts, in: self.link.database)
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        self.pollBell.ring()
                        try? await self.clock.sleep(self.times.poll)
                    }
                }
            }
        }
        listener.end()
        // In a task of its own, because this one may be cancelled.
        await Task {
            await teller.end()
            let node = link.node
            try? await link.database.write { try NodeRow.stop(node, in: $0) }
            await link.database.close()
        }.value
    }
}
