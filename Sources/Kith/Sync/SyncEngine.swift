package import KithModel
import Synchronization

/// Makes rounds with the server and opens sessions, one at a time: when ``SyncLoop`` asks for it, and when the app does.
package final class SyncEngine: Sendable {
    package let replica: Replica
    let credentials: any CredentialStore
    let server: CheckedServer
    let endings: SessionEndings
    let rounds: Rounds
    private let opener: SessionOpener
    private let attachments: any RoundAttachments
    private let stream: LiveConnection
    let gate: CommandGate
    let retries: Retries
    /// The number of consecutive rounds after which ``syncNow()`` gives up.
    private let mostRounds: Int
    /// Allows one round at a time.
    private let lock = AsyncLock()

    private struct State {
        var rate: SyncRate
        /// Receives events while ``run()`` runs.
        var inbox: EventInbox<SyncMachine.Event>?
        var isSyncing = false
        var openedAccount: AccountID?
    }

    private let state: Mutex<State>
    private let statusListeners = Listeners<Void>()
    private let sessionListeners: Listeners<Void>
    private let hidingListeners = Listeners<HiddenStores>()

    /// This many full pages contain more records than an account can have.
    package static let mostRounds = 100_000

    init(
        replica: Replica, credentials: any CredentialStore, server: CheckedServer, attachments: any RoundAttachments,
        listener: any LiveListener, rate: SyncRate, mostRounds: Int = SyncEngine.mostRounds
    ) {
        self.mostRounds = mostRounds
        self.replica = replica
        self.credentials = credentials
        self.server = server
        self.attachments = attachments
        let retries = Retries(replica)
        self.retries = retries
        let sessionListeners = Listeners<Void>()
        self.sessionListeners = sessionListeners
        stream = LiveConnection(
            replica: replica, credentials: credentials, server: server, listener: listener,
            pauses: retries.ofConnections, sessionsChanged: { sessionListeners.send(()) })
        endings = SessionEndings(replica, credentials, at: server, pauses: retries.ofConnections)
        let rounds = Rounds(replica: replica)
        self.rounds = rounds
        opener = SessionOpener(replica: replica, credentials: credentials, server: server, rounds: rounds)
        self.gate = CommandGate(replica, pauses: retries.ofRounds)
        self.state = Mutex(State(rate: rate))
        gate.follow()
        _ = replica.hub.listenToSession { [log = replica.dependencies.log] in log.changed($0) }
        replica.onSessionEffect { [weak self] in self?.carryOut($0, of: $1) }
    }

    /// Carries out an effect of a session's machine. Only `deleteToken` needs an action here; the others only notify
    /// the status streams. The loop reads the session's state and the time of the next attempt from the database after
    /// each event.
    private func carryOut(_ effect: SessionMachine.Effect, of account: AccountID?) {
        replica.dependencies.log.carriesOut(effect, at: replica.dependencies.now())
        switch effect {
        // If this fails, the unused token stays in the store.
        case .deleteToken: if let account { try? credentials.deleteToken(for: account) }
        case .openSession, .askToSignIn, .retry: statusChanged()
        }
    }

    /// The requests with the current session.
    package var requests: SessionRequests { SessionRequests(engine: self) }

    /// Passes an event to the machine, and notifies the status streams.
    package func post(_ event: SyncMachine.Event) {
        // The live stream may have waited for the token.
        if event == .signedIn { retries.ofConnections.end() }
        state.withLock(\.inbox)?.put(event)
        statusChanged()
    }

    /// Makes all status streams read the status again.
    private func statusChanged() { statusListeners.send(()) }

    func setRate(_ rate: SyncRate) {
        state.withLock { $0.rate = rate }
        post(.rate(rate))
    }

    /// Ends the pauses that another network may end, and reads what was missed.
    func networkChanged() async {
        await retries.networkChanged()
        post(.networkChanged)
    }

    // MARK: The loop

    /// Runs the loop until the task is cancelled. Only one may run at a time, as ``KithClient/run()`` ensures.
    func run() async {
        guard server.connection != nil else { return await untilCancelled() }
        let loop = SyncLoop(
            replica: replica, stream: stream, round: { try await self.makeRound() },
            openSession: { _ = try await self.openSession() })
        let rate = state.withLock { state in
            state.inbox = loop.inbox
            return state.rate
        }
        defer { state.withLock { $0.inbox = nil } }
        // The network and the server's address may be different from those of the last run.
        await retries.networkChanged()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.endings.run() }
            await loop.run(at: rate)
        }
    }

    private func untilCancelled() async {
        let (never, _) = AsyncStream<Void>.makeStream()
        for await _ in never {}
    }
}

// MARK: - Rounds

/// Rounds, and the sessions in which they are made.
extension SyncEngine {
    /// One round: push, then pull, in one exchange.
    func makeRound() async throws -> Rounds.Next {
        try await exclusively { try await exchange() }
    }

    private func exchange() async throws -> Rounds.Next {
        _ = try server.requiredConnection()
        let account = try await replica.read { $0.account }
        // This is not a failure of the server, so a device without a session keeps its state.
        guard account.id != nil, account.state.isSignedIn else { throw KithError.noSession }
        // Another client of this replica may have the token, so nothing is stored for it.
        if lacksToken(account) { throw KithError.noToken(of: account) }
        var attempt: (request: SyncRequest, numbered: Range<Int64>)?
        var used: String?
        let dependencies = replica.dependencies
        let start = dependencies.now()
        do {
            // This has to happen before mutations are numbered, because nothing may count as in flight to another
            // server.
            try await server.checkServer(of: account)
            attempt = try rounds.attempt()
            guard let begun = attempt?.request, begun.device == account.device else { return .again }
            // The user has logged out meanwhile.
            guard let token = try credentials.token(for: begun.account) else { return .again }
            used = token
            let next = try await server.send(for: account) {
                let connection = $0.with(token: token)
                try await attachments.send(of: begun.account, to: connection)
                let answer = try await connection.sync(begun)
                let next = try rounds.finish(begun, answer)
                dependencies.log.finished(begun, answer, isLast: next == .done, after: dependencies.now() - start)
                return next
            }
            retries.ofRounds.end()
            try? await endings.send()
            return next
        } catch let error as KithError {
            dependencies.log.roundFailed(error)
            // The server refused an earlier token: the user has signed in to the account again meanwhile.
            if error.code == .unauthorized, let used, let id = account.id,
                let token = try credentials.token(for: id), token != used
            {
                return .again
            }
            let isAgain = try rounds.fail(
                error, by: account.device, mutations: attempt?.request.mutations ?? [],
                numbered: attempt?.numbered ?? 0..<0)
            if isAgain { return .again }
            throw error
        }
    }

    /// Runs `work` while no other task exchanges this replica's state with the server. The work is for the current account,
    /// also within a call for another one: it checks itself that an answer reaches the account that has asked.
    private func exclusively<T: Sendable>(_ work: () async throws -> T) async throws -> T {
        try await lock.withLock {
            setSyncing(true)
            defer { setSyncing(false) }
            return try await Replica.forAnyAccount(work)
        }
    }

    private func setSyncing(_ value: Bool) {
        state.withLock { $0.isSyncing = value }
        statusChanged()
    }

    package func syncNow() async throws {
        // Not a part of the rounds below, because after a log-out there are none.
        try? await Replica.forAnyAccount { try await endings.send() }
        try await openFirstSession()
        var rounds = 0
        var isReplaced = false
        while true {
            do {
                if try await makeRound() == .done { break }
            } catch let error as KithError where error.code == .unauthorized && !isReplaced {
                // The server does not accept the anonymous session any more, so a new one replaces it.
                guard try await isToBeOpened() else { throw error }
                isReplaced = true
                try await openSession()
            }
            rounds += 1
            if rounds == mostRounds {
                throw KithError(.busy, "The server had more to say for \(mostRounds) rounds. Try again.")
            }
        }
        post(.tick)
    }

    func caughtUp() async throws {
        while true {
            do {
                return try await syncNow()
            } catch let error as KithError where error.isTemporary {
                try await retries.pauseUntilDue()
            }
        }
    }

    // MARK: Sessions

    /// Opens a session if the current store is to get one automatically.
    func openFirstSession() async throws {
        if try await isToBeOpened() { try await openSession() }
    }

    /// Whether a session is opened automatically. A pinned client never does that.
    private func isToBeOpened() async throws -> Bool {
        try await replica.read { [replica] in replica.sessionState(of: $0.account) } == .initial
    }

    /// The account whose session this client has opened last; nil if it has opened none.
    package var openedAccount: AccountID? { state.withLock(\.openedAccount) }

    /// Opens an anonymous session, as ``SessionOpener`` does.
    ///
    /// If `isNew` is false, a session that is already open is used.
    ///
    /// - Returns: The account, and the stores that are hidden now.
    @discardableResult
    func openSession(new isNew: Bool = false) async throws -> (account: AccountID, hidden: HiddenStores) {
        guard !replica.isPinned else { throw KithError.pinned }
        return try await exclusively {
            let session = try await opener.open(new: isNew)
            if session.isNew {
                state.withLock { $0.openedAccount = session.account }
                post(.signedIn)
            }
            return (session.account, try announce(session.hidden))
        }
    }

    /// Whether an account is signed in, but this device does not have its token. Another client of the same replica may
    /// have it in its own ``CredentialStore``. If the store cannot be read, the round reports that.
    func lacksToken(_ account: ReplicaAccount) -> Bool {
        guard account.state.isSignedIn, let id = account.id else { return false }
        do { return try credentials.token(for: id) == nil } catch { return false }
    }
}

// MARK: - Status

/// The status, and its stream of changes.
extension SyncEngine {
    func status() async throws -> SyncStatus {
        let (isSyncing, dependencies) = (state.withLock(\.isSyncing), replica.dependencies)
        let (now, collections) = (dependencies.now(), dependencies.collections)
        let (read, account) = try await replica.read {
            (try SyncStatus.fetch($0, at: now, collections, isSyncing: isSyncing), $0.account)
        }
        var status = read
        if lacksToken(account) {
            let error = KithError.noToken(of: account)
            status.lastError = SyncStatus.Failure(code: error.code, sentence: error.sentence)
        }
        do { status.otherStores = try status.otherStores.withTokens(in: credentials) } catch {
            // As while a phone is locked. The rest of the status is known.
            let error = error as? KithError ?? KithError(.credentials, "The tokens on this device cannot be read.")
            status.lastError = SyncStatus.Failure(code: error.code, sentence: error.sentence)
        }
        return status
    }

    func statuses() -> AsyncStream<SyncStatus> {
        let changes = statusListeners.stream(first: ())
        return AsyncStream(keeping: .bufferingNewest(1)) { stream in
            var last: SyncStatus?
            for await _ in changes {
                guard let status = try? await self.status(), status != last else { continue }
                last = status
                stream.yield(status)
            }
        }
    }
}

// MARK: - Hidden stores

/// The stores that became hidden, and their stream.
extension SyncEngine {
    /// Reports hidden stores to the listeners. Sets for each store whether this device has its token.
    func announce(_ hidden: HiddenStores) throws -> HiddenStores {
        var hidden = hidden
        hidden.stores = try hidden.stores.withTokens(in: credentials)
        guard !hidden.isEmpty else { return hidden }
        hidingListeners.send(hidden)
        return hidden
    }

    /// Yields each time the live stream reports that the account's list of sessions has changed, and each time it opens.
    func sessionChanges() -> AsyncStream<Void> { sessionListeners.stream() }

    func hidings() -> AsyncStream<HiddenStores> { hidingListeners.stream(keeping: 100) }
}
