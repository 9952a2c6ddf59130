import KithModel

/// The session that signs in: the current one or, if the current store has none, one that is opened
/// only for that. Until an identity is proved, no store changes and none is hidden.
struct AskingSession {
    let client: KithClient

    private var engine: SyncEngine { client.engine }

    /// The answer to a request, and the token of the session that was opened for it, if one was.
    struct Answer<Value: Sendable>: Sendable {
        let value: Value
        let token: String?
    }

    /// Sends a request with the session's token.
    func ask<Value: Sendable>(
        _ body: @Sendable (ServerConnection, String) async throws -> Value
    ) async throws -> Answer<Value> {
        let state = try await client.replica.read { $1.state }
        if state.isSignedIn || state.opensBySelf {
            return Answer(value: try await engine.withSession(body), token: nil)
        }
        let home = try await engine.server.answering()
        let name = home.id?.description ?? home.address ?? ""
        if let token = try await kept(for: name) {
            do {
                return Answer(value: try await engine.server.ask { try await body($0, token) }, token: token)
            } catch KithError.Code.unauthorized, KithError.Code.accountClosed {
                // The server has forgotten it. Another one asks.
            }
        }
        let token = try await engine.server.ask { try await $0.openSession() }.token
        try engine.credentials.save("\(name) \(token)", for: .asking)
        return Answer(value: try await engine.server.ask { try await body($0, token) }, token: token)
    }

    /// The token of the session that an earlier request has opened at this server; nil if there is none.
    private func kept(for server: String) async throws -> String? {
        guard let known = try engine.credentials.secret(for: .asking), known.hasPrefix(server + " ") else { return nil }
        let token = String(known.dropFirst(server.count + 1))
        // If the device was stopped at the end of a sign-in, the session belongs to an account of this device. What is
        // proved next must not go to that account.
        for account in try await client.session.accounts()
        where try engine.credentials.token(for: account) == token {
            try engine.credentials.delete(.asking)
            return nil
        }
        return token
    }

    /// Ends the session that was opened to ask, unless its account is the one that was signed in to.
    func end(_ token: String?, isUsed: Bool) async throws {
        guard let token else { return }
        try engine.credentials.delete(.asking)
        // Its account has nothing, so a session that stays open there does no harm.
        if !isUsed { try? await engine.server.ask { try await $0.closeSession(token: token) } }
    }
}
