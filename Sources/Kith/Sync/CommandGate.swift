import KithModel
import Synchronization

/// Suspends callers until the session is ready, as ``WaitingCommands`` decides.
final class CommandGate: Sendable {
    private struct State {
        var machine = WaitingCommands()
        var next = 0
        var callers: [WaitingCommands.ID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())
    private let replica: Replica
    /// The pauses before a session is opened again.
    private let pauses: RetryPauses

    init(_ replica: Replica, pauses: RetryPauses) { (self.replica, self.pauses) = (replica, pauses) }

    /// Starts to observe the session.
    func follow() {
        _ = replica.hub.listenToSession { [weak self] in self?.handle(.changed($0)) }
    }

    /// Returns as soon as the session is ready.
    ///
    /// - Throws: ``KithError``: `reset` if the session that the command waited for has ended; `unauthorized` if no
    ///   session opens without the user; `tooMany` if ``WaitingCommands/most`` commands wait. `CancellationError`.
    func pass() async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                state.withLock { $0.callers[id] = caller }
                Task {
                    do {
                        // No change is lost between the state and the wait.
                        try await replica.onWriterQueue {
                            self.handle(.asked(id, self.replica.sessionState(of: $0.account)))
                        }
                    } catch {
                        state.withLock { $0.callers.removeValue(forKey: id) }?.resume(throwing: error)
                    }
                }
                // If the task was cancelled before the caller was stored, `onCancel` did not find the caller.
                if Task.isCancelled { withdraw(id) }
            }
        } onCancel: {
            withdraw(id)
        }
    }

    /// Waits until the session is ready. Meanwhile it tries to open one, with growing pauses.
    ///
    /// - Parameter attempt: Opens a session, or makes a round.
    /// - Returns: The account.
    /// - Throws: As ``pass()``.
    func ready(_ attempt: @escaping @Sendable (ReplicaAccount) async throws -> Void) async throws -> AccountID {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.pass()
                return true
            }
            group.addTask {
                try await self.tryUntilReady(attempt)
                return false
            }
            while let isReady = try await group.next(), !isReady {}
            group.cancelAll()
        }
        guard let id = try await replica.read({ $0.account.id }) else { throw KithError.noSession }
        return id
    }

    /// Tries until the session is ready, or until only the user can open one.
    private func tryUntilReady(_ attempt: (ReplicaAccount) async throws -> Void) async throws {
        let dependencies = replica.dependencies
        var last: SessionChange.Side?
        while true {
            let account = try await replica.read { $0.account }
            guard replica.sessionState(of: account).opensByItself else {
                if try await settle(after: last) { return }
                continue
            }
            last = account.side
            try await pauses.pause { [replica] in
                let retryAt = try await replica.read { $0.account.schedule.retryAt }
                let length = (retryAt ?? dependencies.now()) - dependencies.now()
                return length > RetrySchedule.longestPause ? .zero : length
            }
            do {
                try await attempt(account)
            } catch is KithError {
                // The next pause is read from the stored schedule. This one is for a full disk, when nothing was stored.
                try await dependencies.pause(Self.pauseAfterFailure)
            }
        }
    }

    /// Runs or ends the commands that still wait although no session is on its way: another process has opened or ended
    /// it, and only changes of this process are reported.
    ///
    /// - Returns: False, without any effect, if a session is on its way again.
    private func settle(after last: SessionChange.Side?) async throws -> Bool {
        // Every change of this process was reported before.
        try await replica.onWriterQueue { reading in
            let account = reading.account
            let now = SessionChange.Side(
                store: account.key, state: self.replica.sessionState(of: account), account: account.id)
            guard !now.state.opensByItself else { return false }
            let before = last ?? SessionChange.Side(store: now.store, state: .initial)
            self.handle(.changed(SessionChange(before: before, after: now)))
            return true
        }
    }

    /// The shortest pause after a failed attempt.
    private static let pauseAfterFailure = Duration.milliseconds(100)

    private func withdraw(_ id: WaitingCommands.ID) {
        handle(.withdrawn(id))
        // A command that the machine does not know yet ends here.
        state.withLock { $0.callers.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }

    private func handle(_ event: WaitingCommands.Event) {
        let ends = state.withLock { state -> [(CheckedContinuation<Void, any Error>, Result<Void, any Error>)] in
            // The command was withdrawn before it reached the machine.
            if case .asked(let id, _) = event, state.callers[id] == nil { return [] }
            return state.machine.handle(event).compactMap { effect in
                switch effect {
                case .run(let id): state.callers.removeValue(forKey: id).map { ($0, .success(())) }
                case .end(let id, let reason):
                    state.callers.removeValue(forKey: id).map { ($0, .failure(Self.error(reason))) }
                }
            }
        }
        let resets = ends.count { end in
            if case .failure(let error) = end.1 { (error as? KithError)?.code == .reset } else { false }
        }
        replica.dependencies.log.reset(commands: resets)
        for (caller, result) in ends { caller.resume(with: result) }
    }

    private static func error(_ reason: WaitingCommands.Reason) -> any Error {
        switch reason {
        case .reset:
            KithError(
                .reset, "The session ended before the command could run. Nothing was sent. Sign in and repeat it.")
        case .noSession: KithError.noSession
        case .tooMany:
            KithError(.tooMany, "\(WaitingCommands.most) commands already wait for a session. Try again later.")
        case .withdrawn: CancellationError()
        }
    }
}
