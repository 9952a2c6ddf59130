import KithModel
import Logging
import Synchronization

/// Tells the other nodes of a database the signals of this one, and how presence has changed here.
///
/// A shell around ``SignalGathering``.
final class NodeTeller: Sendable {
    private struct State {
        var gathering: SignalGathering
        /// Whether the last attempt has failed. Only the first failure of several is logged.
        var isFailing = false
    }

    private let link: NodeLink
    private let hub: LiveHub
    private let clock: ServerClock
    private let logger: Logger
    private let state: Mutex<State>

    init(_ link: NodeLink, hub: LiveHub, times: NodeTimes, clock: ServerClock, logger: Logger) {
        (self.link, self.hub, self.clock, self.logger) = (link, hub, clock, logger)
        state = Mutex(State(gathering: SignalGathering(times)))
    }

    /// Adds the signals of a commit. It returns at once.
    func add(_ signals: Signals, by device: AccountDevice?) {
        state.withLock { $0.gathering.add(signals, by: device) }
        link.ring()
    }

    /// Tells what was added and how presence has changed, until the task is cancelled.
    func run() async {
        for await _ in link.bell.stream { await tellAll() }
    }

    /// Tells the rest at once.
    func end() async {
        if hub.withPresence({ $0.hasUntold }) { state.withLock { $0.gathering.notePresence() } }
        if let news = state.withLock({ $0.gathering.rest() }) { await send(news) }
    }

    private func tellAll() async {
        while true {
            let (hasUntold, now) = (hub.withPresence { $0.hasUntold }, clock.uptime())
            let step = state.withLock { state in
                if hasUntold { state.gathering.notePresence() }
                return state.gathering.step(at: now)
            }
            switch step {
            case .rest: return
            case .wait(let time):
                do { try await clock.sleep(time) } catch { return }
                state.withLock { $0.gathering.waited() }
            case .send(let news): await send(news)
            }
        }
    }

    private func send(_ news: NodeNews) async {
        let (presence, seen) = hub.withPresence { register -> ([PresenceChange], [AccountID: Timestamp]) in
            let changes = register.takeUntold()
            let gone = Set(changes.map(\.account))
            return (changes, register.unwrittenSeen.filter { gone.contains($0.key) })
        }
        let (node, now) = (link.node, clock.time())
        do {
            let written = try await link.database.write { transaction -> [AccountID: Timestamp] in
                var changes: Int64?
                if !presence.isEmpty {
                    changes = try NodeRow.countChange(of: node, in: transaction)
                    // A node that is not known any more stores everything at its next heartbeat.
                    if changes != nil { try PresenceRow.write(presence, at: node, in: transaction) }
                }
                // Whoever reads at another node that somebody has gone reads there when they were last online.
                let written = try LastSeen.writeUnlocked(seen, in: transaction)
                let notices = news.notices(
                    from: node, presence: changes == nil ? [] : presence, changes: changes)
                var stored = notices.stored
                try NoticeLog.append(&stored, at: now, in: transaction)
                for notice in stored + notices.others {
                    _ = try transaction.ask(
                        "SELECT pg_notify(?, ?)", [.text(NodeNotice.channel), .text(notice.text)])
                }
                return written
            }
            hub.withPresence { $0.noteWritten(written) }
            state.withLock { $0.isFailing = false }
        } catch {
            hub.withPresence { $0.putBack(presence) }
            let isNew = state.withLock { state in
                state.gathering.putBack(news, at: clock.uptime())
                defer { state.isFailing = true }
                return !state.isFailing
            }
            if isNew {
                logger.warning(
                    "Other nodes could not be told of changes; it is tried again.", metadata: ["cause": "\(error)"])
            }
        }
    }
}
