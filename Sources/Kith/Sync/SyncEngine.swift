import Foundation
import GRDB
import KithModel
import Synchronization

/// Runs ``SyncMachine``: carries out its actions and passes it the events.
package final class SyncEngine: Sendable {
    package let replica: Replica
    let credentials: any CredentialStore
    let connection: ServerConnection?
    /// Creates a transport to another server, to ask which server a link belongs to; nil if there is none.
    let elsewhere: (@Sendable (URL) -> any Transport)?
    let rounds: Rounds
    /// After this many consecutive rounds, a sync by hand gives up.
    let mostRounds: Int
    /// Allows one round at a time.
    let turn = AsyncLock()
    /// Allows one presence request at a time.
    let presenceTurn = AsyncLock()

    struct State {
        var rate: SyncRate
        /// Receives events while ``run()`` runs.
        var inbox: AsyncStream<SyncMachine.Event>.Continuation?
        var isSyncing = false
        var presence = OwnPresence()
        var board = PresenceBoard()
        var nextListener = 0
        var statusListeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var hidingListeners: [Int: AsyncStream<HiddenStores>.Continuation] = [:]
        /// The server that answered last; nil if it has to be asked.
        var answering: ServerIdentity?
        /// The server that does not know the token, by the ids of ended sessions whose server is not known.
        var refusals: [String: ServerIdentity] = [:]
        /// Wakes the task that tells servers about ended sessions.
        var farewell: AsyncStream<Void>.Continuation?
    }

    let state: Mutex<State>

    /// This many full pages hold more records than an account can have.
    package static let mostRounds = 100_000

    init(
        replica: Replica, connection: ServerConnection?, credentials: any CredentialStore, rate: SyncRate,
        elsewhere: (@Sendable (URL) -> any Transport)? = nil, mostRounds: Int = SyncEngine.mostRounds
    ) {
        self.mostRounds = mostRounds
        self.elsewhere = elsewhere
        self.replica = replica
        self.connection = connection
        self.credentials = credentials
        self.rounds = Rounds(replica: replica)
        self.state = Mutex(State(rate: rate))
    }

    var isSyncing: Bool { state.withLock(\.isSyncing) }

    /// Passes an event to the machine, and tells the status streams.
    package func note(_ event: SyncMachine.Event) {
        _ = state.withLock(\.inbox)?.yield(event)
        poke()
    }

    /// Makes all status streams read the status again.
    func poke() {
        for listener in state.withLock({ Array($0.statusListeners.values) }) { listener.yield() }
    }

    func setRate(_ rate: SyncRate) {
        state.withLock { $0.rate = rate }
        note(.rate(rate))
    }

    // MARK: The loop

    func run() async {
        guard connection != nil else { return await untilCancelled() }
        let (events, inbox) = AsyncStream<SyncMachine.Event>.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        let rate = state.withLock { state in
            state.inbox = inbox
            return state.rate
        }
        var machine = SyncMachine(rate: rate)
        defer { state.withLock { $0.inbox = nil } }
        // The address may have changed since the last run, so it is tried at once.
        try? await replica.write { transaction in
            if transaction.account.error?.code == KithError.Code.otherServer.rawValue {
                transaction.account.schedule.succeed()
            }
        }
        inbox.yield(.start)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.tellOfEndedSessions() }
            var timer: Task<Void, Never>?
            var live: (device: DeviceID, task: Task<Void, Never>)?
            for await event in events {
                var next: SyncMachine.Event? = event
                while let event = next, !Task.isCancelled {
                    next = nil
                    timer?.cancel()
                    switch machine.handle(event, in: await situation()) {
                    case .round: next = await outcome { try await self.makeRound() }
                    case .openSession:
                        next = await outcome {
                            try await self.openSession()
                            return .again
                        }
                    case .wait(let until): timer = wake(at: until, inbox)
                    case .rest: break
                    }
                }
                await keep(&live, wanted: machine.rate.wantsLive, inbox)
            }
            timer?.cancel()
            live?.task.cancel()
        }
    }

    private func untilCancelled() async {
        let (never, _) = AsyncStream<Void>.makeStream()
        for await _ in never {}
    }

    private func outcome(_ work: () async throws -> Rounds.Next) async -> SyncMachine.Event {
        do {
            return .ended(try await work())
        } catch {
            return .failed
        }
    }

    private func wake(at time: Timestamp, _ inbox: AsyncStream<SyncMachine.Event>.Continuation) -> Task<Void, Never> {
        let dependencies = replica.dependencies
        let pause = max(.zero, time - dependencies.now())
        return Task {
            do {
                try await dependencies.pause(pause)
                inbox.yield(.tick)
            } catch {}
        }
    }

    /// The database's state that the machine needs for its decision. If it cannot be read, nothing is due.
    private func situation() async -> SyncMachine.Situation {
        let now = replica.dependencies.now()
        let known = try? await replica.read { [isPinned = replica.scope != nil] db, account in
            let waiting = try Outbox(db: db, account: account.key).waiting()
            // A client for one store never opens a session by itself.
            let isLocal = isPinned && account.state == .initial
            return SyncMachine.Situation(
                now: now, session: isLocal ? .loggedOut : account.state, waiting: waiting.count,
                oldestWaiting: waiting.oldest,
                lastRound: account.completed, schedule: account.schedule)
        }
        return known ?? .unreadable(at: now)
    }
}
