import KithModel

/// Opens anonymous sessions. Only one of them may be opened at a time.
struct SessionOpener: Sendable {
    let replica: Replica
    let credentials: any CredentialStore
    let server: CheckedServer
    let rounds: Rounds

    /// The session of the current account.
    struct Opened: Sendable {
        let account: AccountID
        /// The stores that the account has hidden.
        let hidden: HiddenStores
        /// Whether it was opened now.
        let isNew: Bool

        init(_ account: AccountID, hiding hidden: HiddenStores) {
            (self.account, self.hidden, isNew) = (account, hidden, true)
        }

        /// The session of an account that has one already; nil if it has none.
        init?(of account: ReplicaAccount) {
            guard let id = account.id, account.state.isSignedIn else { return nil }
            (self.account, hidden, isNew) = (id, HiddenStores(stores: [], current: .account(id)), false)
        }
    }

    /// Opens a session. If no account is signed in, the new account takes over the content of the userless store.
    ///
    /// - Parameter isNew: Whether to open one even if there is one.
    /// - Returns: The session.
    /// - Throws: ``KithError``, for example `offline`, or `refused` if another account became the current one meanwhile.
    func open(new isNew: Bool) async throws -> Opened {
        // Another task may have opened a session while this one waited.
        let before = try await replica.read { $0.account }
        if !isNew, let known = Opened(of: before) { return known }
        let connection = try server.requiredConnection()
        do {
            let answering = try await server.currentIdentity()
            let session = try await server.send { try await $0.openSession() }
            let home = server.learn(session.server, of: answering)
            do {
                if let hidden = try await makeCurrent(session, at: home, after: before) {
                    return Opened(session.account, hiding: hidden)
                }
            } catch {
                // The disk may be full. Each attempt would leave another account on the server. The task may also be
                // cancelled, so this is done in another one.
                await Task {
                    if await isUnused(session) { try? await discard(session, on: connection) }
                }.value
                throw error
            }
            try await Task { try await discard(session, on: connection) }.value
            if !isNew, let known = Opened(of: try await replica.read { $0.account }) { return known }
            throw KithError.otherAccount
        } catch let error as KithError {
            replica.dependencies.log.openingFailed(error)
            _ = try rounds.fail(error, by: before.device)
            throw error
        }
    }

    /// Whether no store of this device has the account. If that cannot be read, the session counts as used.
    private func isUnused(_ session: NewSession) async -> Bool {
        let isUnknown = try? await replica.read { try ReplicaAccount.at(.account(session.account), $0.db) == nil }
        return isUnknown ?? false
    }

    /// Closes a session that no store of this device uses.
    private func discard(_ session: NewSession, on connection: ServerConnection) async throws {
        // If the server cannot be told, the session stays open. Its account has no data.
        try? await connection.with(token: session.token).close()
        try credentials.deleteToken(for: session.account)
    }

    /// Saves the token of a new session, and makes its account the current one.
    ///
    /// - Returns: The stores that are hidden now; nil if nothing was changed. If another account was activated during the
    ///   request, its row must not be changed. If another process has opened a session for the store, that one is used.
    private func makeCurrent(
        _ session: NewSession, at home: ServerIdentity, after before: ReplicaAccount
    ) async throws -> HiddenStores? {
        try await replica.write { [credentials] transaction in
            guard transaction.account.device == before.device, transaction.account.id == before.id else { return nil }
            if transaction.account.state.isSignedIn {
                try transaction.switchStore(to: session.account, event: .opened, at: home)
            } else {
                try transaction.adopt(session.account, at: home)
            }
            try transaction.markHiddenUndecided()
            // Before the commit, because an account without its token would be lost. Within the transaction, because a process
            // that drops stores deletes the tokens that have no store.
            try credentials.save(session.token, for: session.account)
            return try transaction.hidden()
        }
    }
}
