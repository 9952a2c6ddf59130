import GRDB
public import KithModel

/// Who I am to the server: `client.session`.
///
/// A first session is anonymous and opens by itself when the server can be
/// reached; what was made before belongs to it from then on.
public struct Sessions: Sendable {
    let client: KithClient

    /// How the app stands with the server.
    public func state() async throws -> SessionState {
        try await client.replica.read { $1.state }
    }

    /// The current account; nil for the userless store.
    public func account() async throws -> AccountID? {
        try await client.replica.read { $1.id }
    }

    /// The accounts that this device keeps data of.
    public func accounts() async throws -> [AccountID] {
        try await client.replica.read { db, _ in
            try AccountID.fetchAll(db, sql: "SELECT id FROM account WHERE id IS NOT NULL ORDER BY key")
        }
    }

    /// The current session's token, to hand to ``activate(token:)`` on another device. Keep it as a password.
    public func token() async throws -> String? {
        guard let account = try await account() else { return nil }
        return try client.engine.credentials.token(for: account)
    }

    /// Opens a new anonymous session and makes it the current one.
    ///
    /// What is in the userless store becomes its own, if no account is signed in: a new account has nothing yet. The
    /// data of one that is stays behind its wall, and ``select(_:)`` leads back to it.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server cannot be asked, `noServer` if there is none.
    @discardableResult
    public func open() async throws -> AccountID {
        try await client.engine.openSession(anew: true)
    }

    /// What came of activating a session.
    public struct Activation: Sendable {
        /// The account that is now the current one.
        public let account: AccountID
        /// Lists in the userless store. The account may have lists of its own, so
        /// the app decides what to move: ``Lists/moveLists(_:from:to:)``.
        public let movable: [SharedList]
    }

    /// Makes the account of a saved token the current one. Others stay behind their walls.
    ///
    /// - Throws: ``KithError`` with `unauthorized` if the server does not accept the token.
    public func activate(token: String) async throws -> Activation {
        let description = try await client.engine.withServer { try await $0.session(token: token) }
        let account = description.account
        try client.engine.credentials.save(token, for: account)
        try await enter(account, as: .anonymous)
        return Activation(account: account, movable: try await client.lists.all(behind: .userless))
    }

    /// Makes an account that this device has a session of the current one again.
    ///
    /// - Parameter wall: `.userless` for the userless store.
    /// - Throws: ``KithError`` with `unauthorized` if this device has no session of the account.
    public func select(_ wall: Wall) async throws {
        switch wall {
        case .userless: try await enter(nil, as: .loggedOut)
        case .account(let id):
            guard try client.engine.credentials.token(for: id) != nil else {
                throw KithError(.unauthorized, "This device has no session of \(id). Activate one with its token.")
            }
            try await enter(id, as: .anonymous)
        }
    }

    private func enter(_ id: AccountID?, as state: SessionState) async throws {
        try await client.edit { try $0.enter(id, as: state) }
        client.engine.note(.signedIn)
    }

    /// Asks the server whether it accepts the session.
    @discardableResult
    public func verify() async throws -> SessionDescription {
        try await client.engine.withSession { try await $0.session(token: $1) }
    }

    /// Ends the session: its token is deleted here, then on the server. The account's data stays behind its wall;
    /// edits go to the userless store.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server could not be told. The device has logged out all
    ///   the same; only whoever has a copy of the token could still use it.
    public func logOut() async throws {
        guard let account = try await account() else { return }
        let token = try client.engine.credentials.token(for: account)
        try await client.edit { transaction in
            guard transaction.account.id == account else { return }
            transaction.account.state = .loggedOut
            try transaction.enter(nil, as: .loggedOut)
        }
        try client.engine.credentials.deleteToken(for: account)
        if let token { try await client.engine.withServer { try await $0.closeSession(token: token) } }
    }

    /// Deletes the account on the server, for good, and everything that this device holds of it. Edits go to the userless
    /// store from then on.
    ///
    /// One that was deleted before, on another device perhaps, goes from this device alone.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if no answer came: then nothing has changed here, and it can be
    ///   asked for again. `unauthorized` if the server does not accept the token.
    public func deleteAccount() async throws {
        guard let account = try await account(), let token = try client.engine.credentials.token(for: account) else {
            throw KithError(.unauthorized, "There is no session whose account could be deleted.")
        }
        do {
            try await client.engine.withServer { try await $0.deleteAccount(token: token) }
        } catch KithError.Code.accountClosed {
            // Deleted before: by another device, or by this one, and the answer was lost.
        }
        try await drop(.account(account))
    }

    func drop(_ wall: Wall?) async throws {
        switch wall {
        case nil: try client.engine.credentials.deleteAllTokens()
        case .account(let id): try client.engine.credentials.deleteToken(for: id)
        case .userless: break
        }
        try await client.edit { transaction in
            let account = try wall.map { try ReplicaAccount.at($0, transaction.db) } ?? nil
            if wall != nil && account == nil { return }
            let isCurrent = wall == nil || account?.key == transaction.account.key
            if isCurrent { try transaction.noteAll() }
            try transaction.db.execute(
                sql: "DELETE FROM account WHERE ? IS NULL OR key = ?", arguments: [account?.key, account?.key])
            guard isCurrent else { return }
            // Who has logged out is not signed in again by forgetting.
            let state: SessionState = transaction.account.state == .initial ? .initial : .loggedOut
            transaction.account.isDropped = true
            try transaction.enter(nil, as: state)
        }
    }
}
