import KithModel
import Synchronization

/// Makes rounds when they are due: carries out the decisions of ``SyncMachine``, and reports events to it.
struct SyncLoop: Sendable {
    let replica: Replica
    let stream: LiveConnection
    /// Makes one round.
    let round: @Sendable () async throws -> Rounds.Next
    /// Opens a session.
    let openSession: @Sendable () async throws -> Void
    /// Receives the events.
    let inbox = EventInbox<SyncMachine.Event>()

    /// The live stream of one device, while the loop wants it.
    private struct OpenStream {
        let device: DeviceID
        private let task: Task<Void, Never>
        private let state: State

        private final class State: Sendable {
            let hasEnded = Mutex(false)
        }

        /// Opens a stream, which lasts as long as `listen`.
        init(of device: DeviceID, _ listen: @escaping @Sendable () async -> Void) {
            let state = State()
            self.device = device
            self.state = state
            task = Task {
                await listen()
                state.hasEnded.withLock { $0 = true }
            }
        }

        /// Whether the stream has ended by itself, because it has found no session: another process may have logged out.
        var hasEnded: Bool { state.hasEnded.withLock(\.self) }

        /// Ends the stream. No event of it comes afterwards.
        func end() async {
            task.cancel()
            await task.value
        }
    }

    /// Runs until the calling task is cancelled.
    func run(at rate: SyncRate) async {
        var machine = SyncMachine(rate: rate)
        var timer: Task<Void, Never>?
        var live: OpenStream?
        inbox.put(.start)
        for await _ in inbox.bell {
            var next = inbox.take()
            while let event = next, !Task.isCancelled {
                timer?.cancel()
                var ended: SyncMachine.Event?
                switch machine.handle(event, in: await situation()) {
                case .round: ended = await outcome(of: round)
                case .openSession:
                    ended = await outcome {
                        try await openSession()
                        return .again
                    }
                case .wait(let until): timer = replica.dependencies.wake(at: until) { inbox.put(.tick) }
                case .rest: break
                }
                if ended == nil { live = await openStream(after: live, isWanted: machine.rate.wantsLive) }
                // The end of a round comes before everything that came during the round.
                next = ended ?? inbox.take()
            }
        }
        timer?.cancel()
        // The next loop may open a stream for the same device, which must not end with this one.
        await live?.end()
    }

    private func outcome(of work: () async throws -> Rounds.Next) async -> SyncMachine.Event {
        do {
            return .ended(try await work())
        } catch {
            return .failed
        }
    }

    /// The state of the database that the machine needs for its decision. If it cannot be read, nothing is due.
    private func situation() async -> SyncMachine.Situation {
        let now = replica.dependencies.now()
        let known = try? await replica.read { [replica] reading in
            let account = reading.account
            return SyncMachine.Situation(
                now: now, session: replica.sessionState(of: account),
                oldestWaiting: try reading.store.outbox.oldest(), lastRound: account.completed,
                schedule: account.schedule, isOffline: account.error?.code == KithError.Code.offline.rawValue)
        }
        return known ?? .unreadable(at: now)
    }

    /// Opens the live stream if it is wanted and the account is signed in, and ends that of another account.
    private func openStream(after last: OpenStream?, isWanted: Bool) async -> OpenStream? {
        let account = try? await replica.read { $0.account }
        let wanted = isWanted && (account?.state.isSignedIn ?? false) ? account?.device : nil
        let last = last.flatMap { $0.hasEnded ? nil : $0 }
        // A stream belongs to one account's device, so another account needs another stream.
        guard wanted != last?.device else { return last }
        await last?.end()
        return wanted.map { device in OpenStream(of: device) { await stream.listen(inbox) } }
    }
}
