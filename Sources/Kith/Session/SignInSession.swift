import KithModel

/// The session that requests a sign-in: the current one or, if the current store has no session, a temporary one that is
/// opened for the sign-in.
///
/// Until an identity is proved, no store changes and none is hidden.
struct SignInSession {
    let client: KithClient

    private var engine: SyncEngine { client.engine }

    /// The answer to a request, and the token of the temporary session; nil if the current session sent the request.
    private struct Answer<Value: Sendable>: Sendable {
        let value: Value
        let temporaryToken: String?
    }

    /// Sends a request that prepares a sign-in.
    func send<Value: Sendable>(
        _ request: @Sendable (SessionConnection) async throws -> Value
    ) async throws -> Value {
        try await answer(to: request).value
    }

    /// Sends a request that signs in, and makes the account of its answer the current one.
    ///
    /// - Parameter request: Sends the request.
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: What `request` throws; ``KithError`` if this device cannot store the session.
    func signIn(
        _ request: @Sendable (SessionConnection) async throws -> SignedInAccount
    ) async throws -> SignIn.Result {
        let before = try await client.session.account()
        let answer = try await answer(to: request)
        var account = answer.value
        // If the answer has no token, the identity now belongs to the account of the session that sent the request.
        let isUsed = account.signedIn.token == nil
        account.signedIn.token = account.signedIn.token ?? answer.temporaryToken
        var result = try await finish(account, before: before)
        result.isNewAccount = isUsed && answer.temporaryToken != nil
        if let token = answer.temporaryToken { try await end(token, isUsed: isUsed) }
        return result
    }

    /// Makes the account of a sign-in the current one.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - before: The account that was current before the sign-in.
    /// - Returns: The account, and the stores that are hidden now.
    /// - Throws: ``KithError`` if this device cannot store the session.
    func finish(_ account: SignedInAccount, before: AccountID?) async throws -> SignIn.Result {
        let (signedIn, identity, isIdentified) = (account.signedIn, account.identity, account.isIdentified)
        guard let token = signedIn.token else {
            if let isIdentified {
                try await client.session.note(isIdentified: isIdentified, of: signedIn.account)
            }
            let current = HiddenStores(stores: [], current: .account(signedIn.account))
            return SignIn.Result(
                account: signedIn.account, identity: identity, isOtherAccount: false, hidden: current)
        }
        let answering = try await engine.server.currentIdentity()
        let home = engine.server.learn(signedIn.server, of: answering)
        let hidden = try await client.session.switchStore(
            to: signedIn.account, savingToken: token, isIdentified: isIdentified ?? false, at: home)
        // The session is open in any case. If the server cannot be asked, the next round learns the state.
        if isIdentified == nil { _ = try? await client.session.verify() }
        // An earlier session of the account is not used any more. If the server cannot be told, it is told later.
        try? await engine.endings.send()
        return SignIn.Result(
            account: signedIn.account, identity: identity, isOtherAccount: signedIn.account != before, hidden: hidden)
    }

    private func answer<Value: Sendable>(
        to request: @Sendable (SessionConnection) async throws -> Value
    ) async throws -> Answer<Value> {
        let account = try await client.replica.currentAccount()
        // Without the token, the user signs in as after a refusal.
        if account.state == .initial || (account.state.isSignedIn && !engine.lacksToken(account)) {
            return Answer(value: try await client.requests.withSession(request), temporaryToken: nil)
        }
        let home = try await engine.server.currentIdentity()
        let name = home.id?.description ?? home.address ?? ""
        if let token = try await keptToken(for: name) {
            do {
                let value = try await engine.server.send { try await request($0.with(token: token)) }
                return Answer(value: value, temporaryToken: token)
            } catch KithError.Code.unauthorized, KithError.Code.accountClosed {
                // The server has closed the temporary session. A new one replaces it.
            }
        }
        let token = try await engine.server.send { try await $0.openSession() }.token
        do {
            try engine.credentials.save("\(name) \(token)", for: .signIn)
        } catch {
            await close(token)
            throw error
        }
        let value = try await engine.server.send { try await request($0.with(token: token)) }
        return Answer(value: value, temporaryToken: token)
    }

    /// The token of the temporary session that an earlier request has opened on this server; nil if there is none.
    private func keptToken(for server: String) async throws -> String? {
        guard let known = try engine.credentials.secret(for: .signIn), known.hasPrefix(server + " ") else { return nil }
        let token = String(known.dropFirst(server.count + 1))
        // If the device was stopped at the end of a sign-in, the session belongs to an account of this device. The next
        // identity must not go to that account.
        let accounts = try await client.replica.read { try ReplicaAccount.all($0.db).compactMap(\.id) }
        for account in accounts where try engine.credentials.token(for: account) == token {
            try engine.credentials.delete(.signIn)
            return nil
        }
        return token
    }

    /// Forgets the temporary session. Closes it, unless its account is the one that was signed in to.
    private func end(_ token: String, isUsed: Bool) async throws {
        try engine.credentials.delete(.signIn)
        if !isUsed { await close(token) }
    }

    /// Closes a session, even if the task is cancelled. If this fails, the session stays open. That does no harm, because its
    /// account has no data.
    private func close(_ token: String) async {
        let server = engine.server
        await Task { try? await server.send { try await $0.with(token: token).close() } }.value
    }
}
