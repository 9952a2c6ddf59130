import KithModel
import Synchronization

/// Sessions that were ended while their server could not be reached. The server is told at the next contact.
final class SessionEndings: Sendable {
    private struct State {
        /// For each ended session whose server is not known: the server that has refused its token.
        var refusals: [String: ServerIdentity] = [:]
        /// Wakes ``run()``.
        var farewell: AsyncStream<Void>.Continuation?
    }

    private let replica: Replica
    private let credentials: any CredentialStore
    private let server: CheckedServer
    private let state = Mutex(State())

    init(_ replica: Replica, _ credentials: any CredentialStore, at server: CheckedServer) {
        (self.replica, self.credentials, self.server) = (replica, credentials, server)
    }

    /// Ends the session of an account on this device, and stores that the server must be told if the credential store
    /// has the account's token. The caller updates the account's row in `write`.
    ///
    /// - Returns: The hidden stores, and the id of the new row.
    func add(
        of account: AccountID, _ write: @escaping @Sendable (ReplicaTransaction) throws -> HiddenStores
    ) async throws -> (hidden: HiddenStores, id: String) {
        let token = try credentials.token(for: account)
        let id = replica.dependencies.makeID(Account.self).description
        // The token is saved first, because the database must not refer to a missing token.
        if let token { try credentials.save(token, for: .ended(id)) }
        let (hidden, forgotten): (HiddenStores, [String])
        do {
            (hidden, forgotten) = try await replica.write { transaction in
                let home = try ReplicaAccount.at(.account(account), transaction.db)?.home ?? .unknown
                let hidden = try write(transaction)
                let ended = EndedSessions(db: transaction.db)
                return (hidden, token == nil ? [] : try ended.add(id, on: home, at: transaction.now))
            }
        } catch {
            try? credentials.delete(.ended(id))
            throw error
        }
        try credentials.deleteToken(for: account)
        for id in forgotten { try credentials.delete(.ended(id)) }
        return (hidden, id)
    }

    /// Tells the server about each of its sessions that has ended on this device. Sessions of other servers wait.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server cannot be told now.
    func send() async throws {
        guard server.connection != nil else { return }
        let ended = try await replica.read { db, _ in try EndedSessions(db: db).all() }
        guard !ended.isEmpty else { return }
        let answering = try await server.answering()
        var failure: (any Error)?
        for session in ended where session.home.verdict(on: answering) != .other {
            if state.withLock({ $0.refusals[session.id] }) == answering { continue }
            do {
                try await send(session, at: answering)
            } catch let error as KithError where error.code == .offline {
                throw error
            } catch {
                // The remaining sessions are still sent.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func send(_ session: EndedSessions.Row, at answering: ServerIdentity) async throws {
        if let token = try credentials.secret(for: .ended(session.id)) {
            do {
                try await server.ask { try await $0.closeSession(token: token) }
            } catch let error as KithError where error.code == .unauthorized || error.code == .accountClosed {
                // If the session belongs to this server, it has ended there too. If the session's server is not known,
                // the session may belong to another server.
                if session.home == .unknown { return state.withLock { $0.refusals[session.id] = answering } }
            }
        }
        try await forget(session.id)
    }

    /// Withdraws the ending of sessions with this token, because it was activated again.
    func withdraw(_ token: String) async throws {
        for session in try await replica.read({ db, _ in try EndedSessions(db: db).all() })
        where try credentials.secret(for: .ended(session.id)) == token {
            try await forget(session.id)
        }
    }

    /// Wakes ``run()``, so that it tells the server now.
    func sendSoon() { _ = state.withLock(\.farewell)?.yield() }

    private func forget(_ id: String) async throws {
        try await replica.write { try EndedSessions(db: $0.db).remove(id) }
        try credentials.delete(.ended(id))
    }

    /// Tells the server at the start and after each log-out, and retries until that succeeds.
    func run() async {
        let (farewells, farewell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.farewell = farewell }
        farewell.yield()
        var schedule = RetrySchedule()
        for await _ in farewells {
            do {
                try await send()
                schedule.succeed()
            } catch {
                let dependencies = replica.dependencies
                var random = dependencies.random
                let now = dependencies.now()
                schedule.fail(at: now, retryAfter: (error as? KithError)?.retryAfter, using: &random)
                try? await dependencies.pause((schedule.retryAt ?? now) - now)
                if Task.isCancelled { return }
                farewell.yield()
            }
        }
    }
}
