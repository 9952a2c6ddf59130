import KithModel
import Synchronization

/// Sessions that have ended on this device, of which the server is told at the next contact: after a log-out, after another
/// session of the same account has replaced them, and after their store was dropped.
///
/// A session whose token is still the token of an account on this device is in use, and is not ended. So an ending can be
/// stored before the operation that it belongs to, and a kill in between ends nothing.
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
    private let pauses: RetryPauses
    private let state = Mutex(State())

    init(_ replica: Replica, _ credentials: any CredentialStore, at server: CheckedServer, pauses: RetryPauses) {
        (self.replica, self.credentials, self.server, self.pauses) = (replica, credentials, server, pauses)
    }

    /// Ends the session of an account on this device, and stores that the server must be told if the credential store
    /// has the account's token. The caller updates the account's row in `write`.
    ///
    /// - Returns: The hidden stores, and the id of the new row. If the device is stopped before the token is deleted,
    ///   ``completeLogOuts()`` deletes it.
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
        // In another task, because this one may be cancelled by now, and a cancelled task cannot use the database.
        try await Task { try await deleteToken(of: account) }.value
        for id in forgotten { try credentials.delete(.ended(id)) }
        return (hidden, id)
    }

    /// Deletes the token of an account that has logged out. Another process may have signed in to it since. It has saved its
    /// token in the transaction that has opened the session, so the token of an account that is signed in is in use again.
    private func deleteToken(of account: AccountID) async throws {
        try await Replica.forAnyAccount { [replica, credentials] in
            try await replica.write { transaction in
                let store = try ReplicaAccount.at(.account(account), transaction.db)
                if store?.state.isSignedIn != true { try credentials.deleteToken(for: account) }
            }
        }
    }

    /// Stores that the server must be told of the end of an account's session. Call it before the account's token is
    /// replaced or deleted: until then the session is in use. Does nothing if there is no session, or if the server does
    /// not accept it any more.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - new: The token that will replace the account's; nil if none will.
    /// - Throws: ``KithError`` with `credentials` if the token cannot be saved; an error of the database. Then nothing has
    ///   changed.
    func prepare(for account: AccountID, replacedBy new: String? = nil) async throws {
        guard let token = try credentials.token(for: account), token != new,
            let row = try await replica.read({ try ReplicaAccount.at(.account(account), $0.db) }),
            row.state.isSignedIn
        else { return }
        let id = replica.dependencies.makeID(Account.self).description
        // The token is saved first, because the database must not refer to a missing token.
        try credentials.save(token, for: .ended(id))
        let forgotten: [String]
        do {
            forgotten = try await replica.write { transaction in
                try EndedSessions(db: transaction.db).add(id, on: row.home, at: transaction.now)
            }
        } catch {
            try? credentials.delete(.ended(id))
            throw error
        }
        for id in forgotten { try credentials.delete(.ended(id)) }
    }

    /// Completes log-outs that were interrupted after they were stored: deletes the tokens of their accounts.
    func completeLogOuts() async throws { _ = try await due() }

    /// The ended sessions whose tokens this device has, and no account on it uses any more. An account that has logged out uses
    /// none: if the log-out was interrupted, its token is deleted here. Another client of the replica may have the tokens of
    /// the others in its own ``CredentialStore``, so they wait for it.
    private func due() async throws -> [EndedSessions.Row] {
        let (ended, accounts) = try await replica.read {
            let ended = try EndedSessions(db: $0.db).all()
            return (ended, ended.isEmpty ? [] : try ReplicaAccount.all($0.db))
        }
        var tokens: [String: String] = [:]
        for session in ended { tokens[session.id] = try credentials.secret(for: .ended(session.id)) }
        var used: Set<String> = []
        // The tokens are read after the rows: a token that is replaced meanwhile is not used any more.
        for account in accounts {
            guard let id = account.id, let token = try credentials.token(for: id) else { continue }
            if account.state == .loggedOut, tokens.values.contains(token) {
                let rest = tokens.filter { $0.value == token }.map(\.key)
                try await replica.write { [credentials] transaction in
                    // Another process that activates the token removes the rows first, and then saves it.
                    let ended = EndedSessions(db: transaction.db)
                    if try rest.contains(where: { try ended.contains($0) }) { try credentials.deleteToken(for: id) }
                }
            } else {
                used.insert(token)
            }
        }
        return ended.filter { session in tokens[session.id].map { !used.contains($0) } ?? false }
    }

    /// Tells the server about each of its sessions that has ended on this device. Sessions of other servers wait.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server cannot be told now.
    func send() async throws {
        guard server.connection != nil else { return }
        let ended = try await due()
        guard !ended.isEmpty else { return }
        let answering = try await server.currentIdentity()
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
        let id = session.id
        guard let token = try credentials.secret(for: .ended(id)) else { return }
        // Another process may have activated the token again. From now on it cannot, because the request may arrive.
        let isDue = try await replica.write { transaction in
            try EndedSessions(db: transaction.db).beginTelling(id, at: transaction.now)
        }
        guard isDue else { return }
        do {
            try await server.send { try await $0.with(token: token).close() }
        } catch let error as KithError where error.code == .unauthorized || error.code == .accountClosed {
            // If the session belongs to this server, it has ended there too. If the session's server is not known, the
            // session may belong to another server.
            if session.home == .unknown {
                state.withLock { $0.refusals[id] = answering }
                return await endTelling(id)
            }
        } catch {
            await endTelling(id)
            throw error
        }
        try await forget(id)
    }

    /// Notes that the server could not be told. If that cannot be stored, it counts as being told for a while.
    private func endTelling(_ id: String) async {
        // In another task, because this one may be cancelled.
        _ = await Task { [replica] in
            try await replica.write { try EndedSessions(db: $0.db).endTelling(id) }
        }.result
    }

    /// Withdraws the ending of sessions with this token, because it was activated again.
    ///
    /// - Throws: ``KithError`` with `busy` if the server is just being told.
    func withdraw(_ token: String) async throws {
        for session in try await replica.read({ try EndedSessions(db: $0.db).all() })
        where try credentials.secret(for: .ended(session.id)) == token {
            try await replica.write { transaction in
                let ended = EndedSessions(db: transaction.db)
                if try ended.isBeingTold(session.id, at: transaction.now) {
                    throw KithError(
                        .busy, "The session of this token is just being ended. Try again in a few minutes.")
                }
                try ended.remove(session.id)
            }
            try credentials.delete(.ended(session.id))
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
                dependencies.log.farewellFailed(error)
                var random = dependencies.random
                let now = dependencies.now()
                schedule.fail(at: now, retryAfter: (error as? KithError)?.retryAfter, using: &random)
                let length = (schedule.retryAt ?? now) - now
                try? await pauses.pause(for: length, after: error)
                if Task.isCancelled { return }
                farewell.yield()
            }
        }
    }
}
