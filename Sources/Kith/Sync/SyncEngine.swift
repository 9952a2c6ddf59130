import Foundation
import GRDB
import KithModel
import Synchronization

/// The shell around ``SyncMachine``: does what it decides, and tells it what happened.
final class SyncEngine: Sendable {
    let replica: Replica
    let credentials: any CredentialStore
    private let connection: ServerConnection?
    private let rounds: Rounds
    /// One round at a time, whoever asks for it.
    private let turn = Turnstile()

    private struct State {
        var rate: SyncRate
        /// Where events go while ``run()`` runs.
        var inbox: AsyncStream<SyncMachine.Event>.Continuation?
        var isSyncing = false
        var nextListener = 0
        var statusListeners: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state: Mutex<State>

    init(replica: Replica, connection: ServerConnection?, credentials: any CredentialStore, rate: SyncRate) {
        self.replica = replica
        self.connection = connection
        self.credentials = credentials
        self.rounds = Rounds(replica: replica)
        self.state = Mutex(State(rate: rate))
    }

    var isSyncing: Bool { state.withLock(\.isSyncing) }

    /// Something has happened that the machine, or someone who shows the status, should know.
    func note(_ event: SyncMachine.Event) {
        let (inbox, listeners) = state.withLock { ($0.inbox, Array($0.statusListeners.values)) }
        inbox?.yield(event)
        for listener in listeners { listener.yield() }
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
        inbox.yield(.start)
        await withTaskGroup(of: Void.self) { group in
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
            group.cancelAll()
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
        let pause = max(.zero, time - replica.surroundings.now())
        return Task {
            do {
                try await Task.sleep(for: pause)
                inbox.yield(.tick)
            } catch {}
        }
    }

    /// What the database knows, for the machine to decide by. If it cannot be read, nothing is due.
    private func situation() async -> SyncMachine.Situation {
        let now = replica.surroundings.now()
        let known = try? await replica.read { db, account in
            let waiting = try Outbox(db: db, account: account.key).waiting()
            return SyncMachine.Situation(
                now: now, session: account.state, waiting: waiting.count, oldestWaiting: waiting.oldest,
                lastRound: account.completed, schedule: account.schedule)
        }
        return known
            ?? SyncMachine.Situation(
                now: now, session: .anonymous, schedule: RetrySchedule(attempt: 1, retryAt: now + .seconds(60)))
    }

    // MARK: The live stream

    private func keep(
        _ live: inout (device: DeviceID, task: Task<Void, Never>)?, wanted: Bool,
        _ inbox: AsyncStream<SyncMachine.Event>.Continuation
    ) async {
        let account = try? await replica.read { $1 }
        let wanted = wanted && (account?.state.isSignedIn ?? false) ? account?.device : nil
        guard wanted != live?.device else { return }
        // A stream belongs to one account's device: after a switch it is another's.
        live?.task.cancel()
        live = wanted.map { device in (device, Task { await listen(inbox) }) }
    }

    private func listen(_ inbox: AsyncStream<SyncMachine.Event>.Continuation) async {
        var pause = RetrySchedule()
        while !Task.isCancelled {
            do {
                let account = try await replica.read { $1 }
                guard let connection, let id = account.id, let token = try credentials.token(for: id) else { return }
                for try await event in connection.live(device: account.device, token: token) {
                    if event.name == "hello" {
                        pause.succeed()
                        inbox.yield(.live(true))
                    } else {
                        inbox.yield(.moved)
                    }
                }
            } catch {}
            inbox.yield(.live(false))
            var random = replica.surroundings.random
            let now = replica.surroundings.now()
            pause.fail(at: now, retryAfter: .seconds(1), using: &random)
            try? await Task.sleep(for: (pause.retryAt ?? now) - now)
        }
    }

    // MARK: Rounds

    /// One round: push, then pull, in one exchange.
    private func makeRound() async throws -> Rounds.Next {
        try await turn.pass {
            setSyncing(true)
            defer { setSyncing(false) }
            return try await exchange()
        }
    }

    private func exchange() async throws -> Rounds.Next {
        guard let connection else { throw KithError(.noServer, "This client was made without a server.") }
        // No failure of the server's: a device that is signed out stays as it is.
        guard let request = try rounds.begin() else {
            throw KithError(.unauthorized, "There is no session. Open one, or activate a saved token.")
        }
        do {
            guard let token = try credentials.token(for: request.account) else {
                throw KithError(.unauthorized, "The session's token is gone. Activate the account again.")
            }
            return try rounds.finish(request, try await connection.sync(request, token: token))
        } catch let error as KithError {
            if try rounds.fail(error) { return .again }
            throw error
        }
    }

    private func setSyncing(_ value: Bool) {
        state.withLock { $0.isSyncing = value }
        for listener in state.withLock({ Array($0.statusListeners.values) }) { listener.yield() }
    }

    func syncNow() async throws {
        if try await replica.read({ $1.state }) == .initial { try await openSession() }
        var rounds = 0
        while try await makeRound() != .done {
            rounds += 1
            if rounds > Self.mostRounds {
                throw KithError(.busy, "The server had more to say for \(Self.mostRounds) rounds. Try again.")
            }
        }
        note(.tick)
    }

    /// So many pages of so many records are more than an account can hold.
    private static let mostRounds = 100_000

    func caughtUp() async throws {
        let last = try await replica.read { db, account in
            try Int64.fetchOne(db, sql: "SELECT max(ordinal) FROM mutation WHERE account = ?", arguments: [account.key])
        }
        repeat {
            try await syncNow()
        } while try await replica.read { db, account in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM mutation WHERE account = ? AND taken IS NULL AND ordinal <= ?)",
                arguments: [account.key, last]) ?? false
        }
    }

    // MARK: Sessions

    /// Opens an anonymous session for what is in the userless store.
    @discardableResult
    func openSession() async throws -> AccountID {
        try await turn.pass {
            setSyncing(true)
            defer { setSyncing(false) }
            do {
                // Someone else may have opened it while this waited for its turn.
                let account = try await replica.read { $1 }
                if let id = account.id, account.state.isSignedIn { return id }
                guard let connection else { throw KithError(.noServer, "This client was made without a server.") }
                let session = try await connection.openSession()
                // First the token: an account without its token would be lost.
                try credentials.save(session.token, for: session.account)
                try await replica.write { try $0.adopt(session.account) }
                note(.signedIn)
                return session.account
            } catch let error as KithError {
                _ = try rounds.fail(error)
                throw error
            }
        }
    }

    // MARK: The server's other operations

    func withServer<T: Sendable>(_ body: (ServerConnection) async throws -> T) async throws -> T {
        guard let connection else { throw KithError(.noServer, "This client was made without a server.") }
        return try await body(connection)
    }

    /// Runs `body` with the current session's token, opening a first session if need be.
    func withSession<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        if try await replica.read({ $1.state }) == .initial { try await openSession() }
        guard let id = try await replica.read({ $1.id }), let token = try credentials.token(for: id) else {
            throw KithError(.unauthorized, "There is no session. Open one, or activate a saved token.")
        }
        return try await withServer { try await body($0, token) }
    }

    /// The same, when everything that waits has been sent.
    func afterRound<T: Sendable>(_ body: (ServerConnection, String) async throws -> T) async throws -> T {
        try await syncNow()
        return try await withSession(body)
    }

    // MARK: Status

    func statuses() -> AsyncStream<SyncStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let (pokes, poke) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let id = state.withLock { state in
                state.nextListener += 1
                state.statusListeners[state.nextListener] = poke
                return state.nextListener
            }
            let task = Task {
                var last: SyncStatus?
                for await _ in pokes {
                    let isSyncing = isSyncing
                    let status = try? await replica.read { try SyncStatus.fetch($0, $1, isSyncing: isSyncing) }
                    guard let status, status != last else { continue }
                    last = status
                    continuation.yield(status)
                }
            }
            poke.yield()
            continuation.onTermination = { [weak self] _ in
                task.cancel()
                self?.state.withLock { $0.statusListeners[id] = nil }
            }
        }
    }
}
