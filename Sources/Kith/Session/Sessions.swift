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

    /// What came of opening or activating a session.
    public struct Activation: Sendable {
        /// The account that is now the current one.
        public let account: AccountID
        /// What is no longer shown, and where it can be moved.
        public let hidden: HiddenStores
        /// Lists in the userless store. The account may have lists of its own, so
        /// the app decides what to move: ``Lists/moveLists(_:from:to:)``.
        public let movable: [SharedList]
    }

    /// Opens a new anonymous session and makes it the current one.
    ///
    /// What is in the userless store becomes its own, if no account is signed in: a new account has nothing yet. The
    /// data of one that is stays behind its wall, and ``select(_:)`` leads back to it. So it does if the account belongs
    /// to another server: on a different server the account is a different one.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server cannot be asked, `noServer` if there is none.
    @discardableResult
    public func open() async throws -> Activation {
        let (account, hidden) = try await client.engine.openSession(new: true)
        return Activation(
            account: account, hidden: hidden, movable: try await client.lists.all(within: .userless))
    }

    /// Makes the account of a saved token the current one. Others stay behind their walls.
    ///
    /// - Throws: ``KithError`` with `unauthorized` if the server does not accept the token; `otherServer` if the token, or
    ///   the account, belongs to another server: a token of this device is not sent there.
    public func activate(token: String) async throws -> Activation {
        try checkIsFree()
        let engine = client.engine
        let answering = try await engine.answering()
        for known in try await client.replica.read({ db, _ in try ReplicaAccount.all(db) }) {
            guard let id = known.id, try engine.credentials.token(for: id) == token else { continue }
            if known.home.verdict(on: answering) == .other { throw KithError.otherServer(known.home, answering) }
        }
        let description = try await engine.ask { try await $0.session(token: token) }
        let account = description.account
        var home = answering
        if let id = description.server {
            home.id = id
            engine.learn(id)
        }
        // Before the token is replaced: another server could name any account.
        if let known = try await client.replica.read({ db, _ in try ReplicaAccount.at(.account(account), db) }),
            known.home.verdict(on: home) == .other
        {
            throw KithError.otherServer(known.home, home)
        }
        try engine.credentials.save(token, for: account)
        try await engine.keepSession(token)
        let hidden = try await enter(account, as: .anonymous, at: home)
        return Activation(account: account, hidden: hidden, movable: try await client.lists.all(within: .userless))
    }

    /// Makes an account that this device has a session of the current one again.
    ///
    /// - Parameter scope: `.userless` for the userless store.
    /// - Returns: What is no longer shown.
    /// - Throws: ``KithError`` with `unauthorized` if this device has no session of the account.
    @discardableResult
    public func select(_ scope: AccountScope) async throws -> HiddenStores {
        try checkIsFree()
        switch scope {
        case .userless: return try await enter(nil, as: .loggedOut)
        case .account(let id):
            guard try client.engine.credentials.token(for: id) != nil else {
                throw KithError(
                    .unauthorized,
                    """
                    This device has no session of \(id). Activate one with its token. Its lists can be read and moved \
                    without one: see client.accounts.
                    """)
            }
            return try await enter(id, as: .anonymous)
        }
    }

    private func enter(
        _ id: AccountID?, as state: SessionState, at home: ServerIdentity? = nil
    ) async throws -> HiddenStores {
        let hidden = try await client.edit { transaction in
            try transaction.enter(id, as: state, at: home)
            return try transaction.hidden()
        }
        client.engine.note(.signedIn)
        return try client.engine.announce(hidden)
    }

    private func checkIsFree() throws {
        if client.replica.scope != nil { throw KithError.pinned }
    }

    /// Asks the server whether it accepts the session.
    @discardableResult
    public func verify() async throws -> SessionDescription {
        try await client.engine.withSession { try await $0.session(token: $1) }
    }

    /// What came of logging out.
    public struct LogOut: Sendable {
        /// What is no longer shown.
        public let hidden: HiddenStores
        /// Whether the server has deleted the token. If not, it is told at the next contact with it; until then whoever
        /// has a copy of the token could still use it.
        public let isServerTold: Bool
    }

    /// Ends the session: its token is deleted here, then on the server. The account's data stays behind its wall;
    /// edits go to the userless store.
    ///
    /// Works offline too: the device remembers to tell the account's server.
    @discardableResult
    public func logOut() async throws -> LogOut {
        guard let account = try await account() else {
            return LogOut(hidden: HiddenStores(stores: [], current: .userless), isServerTold: true)
        }
        let engine = client.engine
        let (hidden, ended) = try await engine.endSession(of: account) { transaction in
            guard transaction.account.id == account else {
                throw KithError(.refused, "Another account became the current one meanwhile. Nothing was changed.")
            }
            // Nothing is sent any more to a server where the account is deleted.
            if transaction.account.state != .inactive { transaction.account.state = .loggedOut }
            if !transaction.isPinned { try transaction.enter(nil, as: .loggedOut) }
            return try transaction.hidden()
        }
        engine.note(.edited)
        try? await engine.endSessions()
        let isServerTold = try await client.replica.read { db, _ in
            try !EndedSessions(db: db).all().contains { $0.id == ended }
        }
        if !isServerTold { engine.sayFarewell() }
        return LogOut(hidden: try engine.announce(hidden), isServerTold: isServerTold)
    }

    // MARK: Forgetting

    /// What came of deleting an account.
    public struct Deletion: Sendable {
        /// The account's store, as it was.
        public let store: StoredAccount
        /// Whether the store was dropped from this device. If not, it is kept: its lists can be read, exported and moved.
        public let isDropped: Bool
    }

    /// Deletes the account on the server, for good. Edits go to the userless store from then on, unless the client is for
    /// one store: see ``KithConfiguration/account``.
    ///
    /// What this device holds of it is kept, and nothing of it is sent any more: ``Accounts`` reads it,
    /// ``Lists/moveLists(_:from:to:)`` moves it, ``Lists/dropAllData(of:)`` drops it. An account that was deleted before, on
    /// another device perhaps, ends the same way.
    ///
    /// - Parameter dropping: Whether to drop what this device holds of it too, unsent edits included.
    /// - Returns: What the device had of the account, and whether it is still here.
    /// - Throws: ``KithError`` with `offline` or `busy` if no answer came: then nothing has changed here, and it can be
    ///   asked for again. `unauthorized` if the server does not accept the token; `refused` if a client for one store is to
    ///   drop it.
    @discardableResult
    public func deleteAccount(dropping: Bool = false) async throws -> Deletion {
        if dropping { try checkIsFree() }
        let engine = client.engine
        let current = try await client.replica.read { $1 }
        guard let account = current.id, let token = try engine.credentials.token(for: account) else {
            throw KithError(.unauthorized, "There is no session whose account could be deleted.")
        }
        do {
            try await engine.speak(for: current) { try await $0.deleteAccount(token: token) }
        } catch KithError.Code.accountClosed {
            // Deleted before: by another device, or by this one, and the answer was lost.
        }
        guard let store = try await client.accounts.store(.account(account)) else {
            throw KithError(.notFound, "The account's data was dropped meanwhile.")
        }
        if dropping {
            try await drop(.account(account))
        } else {
            let hidden = try await client.edit { transaction in
                guard transaction.account.id == account else { return try transaction.hidden() }
                transaction.account.state = .inactive
                if !transaction.isPinned { try transaction.enter(nil, as: .loggedOut) }
                return try transaction.hidden()
            }
            // With it the deletion can be asked for again if the edit fails.
            try engine.credentials.deleteToken(for: account)
            _ = try engine.announce(hidden)
        }
        return Deletion(store: store, isDropped: dropping)
    }

    /// Forgets the store behind a wall, or every store.
    ///
    /// - Returns: What was dropped, as it was.
    @discardableResult
    func drop(_ scope: AccountScope?) async throws -> [StoredAccount] {
        let own = client.replica.scope
        if own != nil && (scope == nil || scope == own) { throw KithError.pinned }
        let stores = try await client.accounts.all().filter { scope == nil || $0.scope == scope }
        switch scope {
        case nil: try client.engine.credentials.deleteAllTokens()
        case .account(let id): try client.engine.credentials.deleteToken(for: id)
        case .userless: break
        }
        try await client.edit { transaction in
            let account = try scope.map { try ReplicaAccount.at($0, transaction.db) } ?? nil
            if scope != nil && account == nil { return }
            let isShown = scope == nil || account?.key == transaction.account.key
            if isShown { try transaction.noteAll() }
            try transaction.db.execute(
                sql: "DELETE FROM account WHERE ? IS NULL OR key = ?", arguments: [account?.key, account?.key])
            if isShown {
                // Who has logged out is not signed in again by forgetting.
                let state: SessionState = transaction.account.state == .initial ? .initial : .loggedOut
                transaction.account.isDropped = true
                try transaction.enter(nil, as: state)
            } else {
                try transaction.keepOneCurrent(as: account?.state == .initial ? .initial : .loggedOut)
            }
        }
        return stores
    }
}
