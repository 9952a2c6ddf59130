public import KithModel

/// My sessions with the server: `client.session`.
///
/// The first session is anonymous. It is opened automatically when the server can be reached, and takes over everything
/// that was created without a session.
public struct Sessions: Sendable {
    let client: KithClient

    /// The state of the session.
    public func state() async throws -> SessionState {
        try await client.replica.read { $0.account.state }
    }

    /// Whether the server has accepted the session and has not failed since, so that links can be created.
    public func isReadyToShare() async throws -> Bool { try await state().isReadyToShare }

    /// The state of the session, then each change that this process makes, once and in order. The stream ends if its
    /// listener is ``KithClient/unreadChanges`` changes behind, or if the replica cannot be read.
    public func states() -> AsyncStream<SessionState> {
        client.stream {
            $0.account.state
        } listen: { hub, report in
            hub.listenToSession { change in
                if change.before.state != change.after.state { report(change.after.state) }
            }
        }
    }

    /// Runs a command as soon as the session is ready. While the server cannot be reached, fails, or refuses the token of an
    /// anonymous account, the command waits, and the client tries again with growing pauses.
    ///
    /// The command can run more than once, because an answer can be lost; a link that it creates can then exist twice. It ends
    /// exactly once. Its requests go to no account but the one for which it was given. Edits within it go to the current
    /// store, as always.
    ///
    /// ```swift
    /// let devices = try await client.session.whenReady { try await client.session.all() }
    /// ```
    ///
    /// - Parameter command: Calls of the client that need the server.
    /// - Returns: What the command returns.
    /// - Throws: What the command throws; ``KithError``: `reset` if the session ends meanwhile, because the user logs out,
    ///   another store becomes the current one, or the account's data is dropped; `unauthorized` if only the user can open
    ///   a session; `tooMany` if 1,000 commands wait already; `noServer`. `CancellationError` if the task is cancelled.
    public func whenReady<Value: Sendable>(_ command: () async throws -> Value) async throws -> Value {
        try await client.requests.whenReady(command)
    }

    /// Waits until the session is ready, and returns its account. While the server cannot be reached, or fails, the client
    /// tries again with growing pauses.
    ///
    /// - Returns: The account of the session.
    /// - Throws: ``KithError``: `reset` if the session ends meanwhile, because the user logs out, another store becomes
    ///   the current one, or the account's data is dropped; `unauthorized` if only the user can open a session; `tooMany`
    ///   if 1,000 commands wait already; `noServer`. `CancellationError` if the task is cancelled.
    @discardableResult
    public func ready() async throws -> AccountID { try await client.requests.ready() }

    /// The current account; nil for the userless store.
    public func account() async throws -> AccountID? {
        try await client.replica.read { $0.account.id }
    }

    /// The current session's token, to pass to ``activate(token:)`` on another device. Protect it like a password. The two
    /// devices then have one session: if it ends on one of them, it ends on both.
    public func token() async throws -> String? {
        guard let account = try await account() else { return nil }
        return try client.engine.credentials.token(for: account)
    }

    /// The result of opening or activating a session.
    public struct Activation: Sendable {
        /// The account that is now the current one.
        public let account: AccountID
        /// The stores that are hidden now, and the store to which their lists can be moved.
        public let hidden: HiddenStores
        /// Lists in the userless store. The account may have its own lists, so the app decides which ones to move:
        /// ``Lists/moveLists(_:from:to:)``.
        public let movable: [SharedList]
    }

    /// Opens a new anonymous session and makes it the current one.
    ///
    /// If no account is signed in, the new account takes over the content of the userless store. If an account is
    /// signed in, its data stays in its own store, and ``select(_:)`` makes it current again. The data also stays in
    /// its own store if the account belongs to another server, because the new account is on a different server.
    ///
    /// - Throws: ``KithError`` with `offline` or `busy` if the server cannot be asked, `noServer` if there is none.
    @discardableResult
    public func open() async throws -> Activation {
        let (account, hidden) = try await client.engine.openSession(new: true)
        try? await client.engine.endings.send()
        return Activation(
            account: account, hidden: hidden, movable: try await client.lists.all(within: .userless))
    }

    /// Makes the account of a saved token the current one. Other accounts stay in their own stores.
    ///
    /// - Throws: ``KithError`` with `unauthorized` if the server does not accept the token; `otherServer` if the token
    ///   or the account belongs to another server. A token that the device has stored for one server is never sent to
    ///   another. `busy` also if the server is just being told that the token's session has ended.
    public func activate(token: String) async throws -> Activation {
        try client.refusePinned()
        let engine = client.engine
        let answering = try await engine.server.currentIdentity()
        for known in try await client.replica.read({ try ReplicaAccount.all($0.db) }) {
            guard let id = known.id, try engine.credentials.token(for: id) == token else { continue }
            if known.home.verdict(on: answering) == .other { throw KithError.otherServer(known.home, answering) }
        }
        let description = try await engine.server.send { try await $0.with(token: token).description() }
        let account = description.account
        let home = engine.server.learn(description.server, of: answering)
        let hidden = try await switchStore(
            to: account, savingToken: token, isIdentified: description.isIdentified, at: home)
        try? await engine.endings.send()
        return Activation(account: account, hidden: hidden, movable: try await client.lists.all(within: .userless))
    }

    /// Makes an account with a session on this device the current one.
    ///
    /// - Parameter scope: `.userless` for the userless store.
    /// - Returns: The stores that are hidden now.
    /// - Throws: ``KithError`` with `unauthorized` if this device has no session of the account.
    @discardableResult
    public func select(_ scope: AccountScope) async throws -> HiddenStores {
        try client.refusePinned()
        switch scope {
        case .userless: return try await switchStore(to: nil, event: .loggedOut)
        case .account(let id):
            try await client.engine.endings.completeLogOuts()
            guard try client.engine.credentials.token(for: id) != nil else {
                throw KithError(
                    .unauthorized,
                    """
                    This device has no session of \(id). Sign in to it, or use its token. Its lists can be read and moved \
                    without one.
                    """)
            }
            return try await switchStore(to: id, event: .selected)
        }
    }

    /// Saves the token of a new session, and makes its account the current one. An earlier session of the account ends:
    /// the caller tells the server with ``SessionEndings/send()``.
    ///
    /// - Returns: The stores that are hidden now.
    /// - Throws: ``KithError``: `otherServer` if the account belongs to another server than `home`; `credentials` if
    ///   the token cannot be saved; `refused` if the client is pinned.
    func switchStore(
        to account: AccountID, savingToken token: String, isIdentified: Bool, at home: ServerIdentity
    ) async throws -> HiddenStores {
        // Another server could return any account, so the account's server is compared before the token is saved.
        let known = try await client.replica.read { try ReplicaAccount.at(.account(account), $0.db) }
        if let known, known.home.verdict(on: home) == .other { throw KithError.otherServer(known.home, home) }
        let endings = client.engine.endings
        // Withdrawn first: the token of an account that has logged out counts as a rest of the log-out.
        try await endings.withdraw(token)
        try await endings.prepare(for: account, replacedBy: token)
        return try await switchStore(
            to: account, savingToken: token, event: .activated(isIdentified: isIdentified), at: home, isUndecided: true)
    }

    /// Makes the store of an account the current one; `id` is nil for the userless store.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - token: The token of its new session; nil if there is none.
    ///   - event: The event for the session of the store.
    ///   - home: The account's server; nil if it stays the stored one.
    ///   - isUndecided: Whether the user has to decide about the stores that become hidden.
    /// - Returns: The stores that are hidden now.
    /// - Throws: ``KithError``: `refused` if the client is pinned; `credentials` if the token cannot be saved; an error of the
    ///   database.
    private func switchStore(
        to id: AccountID?, savingToken token: String? = nil, event: SessionMachine.Event,
        at home: ServerIdentity? = nil, isUndecided: Bool = false
    ) async throws -> HiddenStores {
        let credentials = client.engine.credentials
        let hidden = try await client.transact { transaction in
            try transaction.switchStore(to: id, event: event, at: home)
            if isUndecided { try transaction.markHiddenUndecided() }
            // Before the commit, because a session without its token would be lost. Within the transaction, because another
            // process that drops stores deletes tokens without a store in one of its own.
            if let id, let token { try credentials.save(token, for: id) }
            return try transaction.hidden()
        }
        client.engine.post(.signedIn)
        return try client.engine.announce(hidden)
    }

    /// Asks the server whether it accepts the session, and whether the account is identified.
    @discardableResult
    public func verify() async throws -> SessionDescription { try await verify(client.requests.session()) }

    /// The same for a session that was read before.
    @discardableResult
    func verify(_ session: CurrentSession) async throws -> SessionDescription {
        let description = try await client.requests.send(in: session) { try await $0.description() }
        try await note(isIdentified: description.isIdentified, of: description.account)
        return description
    }

    /// Asks the server whether the account of a session is still identified, after its ways in have changed. They have changed
    /// in any case: if the server cannot be asked, the next round learns it.
    func learnKind(of session: CurrentSession) async { _ = try? await verify(session) }

    /// Stores whether the account is identified, if it is signed in. It need not be the current one any more.
    func note(isIdentified: Bool, of account: AccountID) async throws {
        try await Replica.forAnyAccount {
            let known = try await client.replica.read { try ReplicaAccount.at(.account(account), $0.db) }
            guard let known, known.session.isIdentified != isIdentified else { return }
            try await client.transact { try $0.handle(.accepted(isIdentified: isIdentified), of: account) }
        }
    }

    /// The result of logging out.
    public struct LogOut: Sendable {
        /// The stores that are hidden now.
        public let hidden: HiddenStores
        /// Whether the server has deleted the token. If not, the server is told at the next sync or sign-in, and until then
        /// the token can still be used.
        public let isServerTold: Bool
    }

    /// Ends the session: deletes its token on this device, then on the server. The account's data stays in its own
    /// store; edits go to the userless store.
    ///
    /// Works offline: the server is told at the next sync or sign-in.
    ///
    /// - Parameter expected: The account that the user wants to log out; nil for the current one.
    /// - Returns: The stores that are hidden now, and whether the server was told.
    /// - Throws: ``KithError`` with `refused` if another account became the current one meanwhile. Then nothing was changed.
    @discardableResult
    public func logOut(expecting expected: AccountID? = nil) async throws -> LogOut {
        try await logOut(of: client.currentAccount(expecting: expected).id)
    }

    private func logOut(of account: AccountID?) async throws -> LogOut {
        guard let account else {
            return LogOut(hidden: HiddenStores(stores: [], current: .userless), isServerTold: true)
        }
        let engine = client.engine
        let (hidden, ended) = try await engine.endings.add(of: account) { transaction in
            guard transaction.account.id == account else { throw KithError.otherAccount }
            transaction.handle(.loggedOut)
            if !transaction.isPinned { try transaction.switchStore(to: nil, event: .loggedOut) }
            return try transaction.hidden()
        }
        engine.post(.edited)
        try? await engine.endings.send()
        let isServerTold = try await client.replica.read { reading in
            try !EndedSessions(db: reading.db).all().contains { $0.id == ended }
        }
        if !isServerTold { engine.endings.sendSoon() }
        return LogOut(hidden: try engine.announce(hidden), isServerTold: isServerTold)
    }

    // MARK: All sessions of the account

    /// The sessions of the account, oldest first.
    public func all() async throws -> [SessionEntry] {
        try await client.requests.withSession { try await $0.sessions() }
    }

    /// Yields each time the list of sessions has changed, for example because a device was added. ``states()`` reports the
    /// state of this device's session.
    ///
    /// It does so only while ``KithClient/run()`` runs and the server can be reached. It also yields each time that the live
    /// stream opens, because the list can have changed while there was none. Read ``all()`` once at the start.
    public func changes() -> AsyncStream<Void> { client.engine.sessionChanges() }

    /// Sets the name of this device in the list of sessions; nil removes it.
    public func nameDevice(_ name: String?) async throws {
        let name = SignIn.name(name)
        try await client.requests.withSession { try await $0.nameSession(name) }
    }

    /// Closes another session of the account, such as that of a lost device. Its live streams end. The data on its device
    /// stays there.
    ///
    /// - Throws: ``KithError`` with `notFound` if the account has no such session.
    public func revoke(_ session: SessionID) async throws {
        try await client.requests.withSession { try await $0.revoke(session) }
    }

    /// Closes all sessions of the account, then logs out here: ``logOut(expecting:)``.
    ///
    /// - Parameter expected: The account that the user wants to log out; nil for the current one.
    /// - Returns: The stores that are hidden now, and whether the server was told.
    /// - Throws: ``KithError``: `offline` or `busy` if the server cannot be asked; `refused` if another account became the
    ///   current one meanwhile. The sentence says whether the sessions are closed.
    @discardableResult
    public func logOutEverywhere(expecting expected: AccountID? = nil) async throws -> LogOut {
        let before = try await client.currentAccount(expecting: expected)
        // In the state `initial`, `withSession` would open a session, and the account of that session would take over the
        // userless store.
        if before.state == .initial { return try await logOut(of: before.id) }
        try await client.withSession(expecting: before.id) { try await $0.closeAllSessions() }
        do {
            return try await logOut(of: before.id)
        } catch let error as KithError where error.code == .refused {
            throw KithError(.refused, "All sessions of the account are closed. \(error.sentence)")
        }
    }

    // MARK: Deleting

    /// The result of deleting an account.
    public struct Deletion: Sendable {
        /// The account's store, in its state before the deletion.
        public let store: StoredAccount
        /// Whether the store was dropped from this device. If not, its lists can be read, exported and moved.
        public let isDropped: Bool
    }

    /// The account's lists in which other people are, as far as this device knows. Each needs a decision for
    /// ``deleteAccount(expecting:lists:others:dropping:)``.
    public func listsToDecide() async throws -> [SharedList] {
        var shared: [SharedList] = []
        for list in try await client.lists.all() where list.role == .owner {
            if try await client.lists.members(of: list.id).count > 1 { shared.append(list) }
        }
        return shared
    }

    /// Deletes the account on the server, permanently. After that, edits go to the userless store, unless the client is
    /// pinned: see ``KithConfiguration/account``.
    ///
    /// The account's data on this device is kept but not sent any more: ``Accounts`` reads it,
    /// ``Lists/moveLists(_:from:to:)`` moves it, ``Accounts/drop(_:expecting:)`` drops it. The result is the same if the
    /// account was already deleted, for example on another device.
    ///
    /// A list in which other people are needs a decision of the user: a new owner, or deletion for everybody. A list that only
    /// the user is in is deleted.
    ///
    /// - Parameters:
    ///   - expected: The account that the user wants to delete; nil for the current one. Another part of the app, or another
    ///     process, can make another account the current one while the app asks the user.
    ///   - lists: The decisions by list.
    ///   - others: The decision for all other lists: `.handOverToEditor` or `.delete`; nil if there is none.
    ///   - dropping: Whether to drop the account's data on this device too, including unsent edits.
    /// - Returns: The account's store on this device, and whether it was dropped.
    /// - Throws: ``KithError``: `offline` or `busy` if no answer came: nothing has changed on this device, and you can call
    ///   this function again; `listsUndecided` if other people are in a list without a decision, or a decision cannot be
    ///   carried out; `invalid` if `others` is `.handOver`; `unauthorized` if the server does not accept the token;
    ///   `refused` if another account became the current one meanwhile, or if `dropping` is true and the client is pinned.
    @discardableResult
    public func deleteAccount(
        expecting expected: AccountID? = nil, lists: [ListID: ListDecision] = [:], others: ListDecision? = nil,
        dropping: Bool = false
    ) async throws -> Deletion {
        let deletion = try AccountDeletion(lists, others: others)
        if dropping { try client.refusePinned() }
        let engine = client.engine
        let current = try await client.currentAccount(expecting: expected)
        guard let account = current.id, let token = try engine.credentials.token(for: account) else {
            throw engine.lacksToken(current)
                ? KithError.noToken(of: current)
                : KithError(.unauthorized, "There is no session whose account could be deleted.")
        }
        do {
            try await engine.server.send(for: current) {
                let connection = $0.with(token: token)
                // Servers of older versions know only this request.
                if deletion == AccountDeletion() { return try await connection.deleteAccount() }
                try await connection.deleteAccount(deletion)
            }
        } catch KithError.Code.accountClosed {
            // The account was already deleted: by another device, or by an earlier call whose answer was lost.
        }
        guard let store = try await client.accounts.store(.account(account)) else {
            throw KithError(.notFound, "The account's data was dropped meanwhile.")
        }
        if dropping {
            try await StoreDrop(client: client, scope: .account(account), cause: .accountDeleted).run()
        } else {
            let hidden = try await client.transact { transaction in
                try transaction.handle(.closed, of: account)
                // Another account may have become the current one during the request.
                if transaction.account.id == account && !transaction.isPinned {
                    try transaction.switchStore(to: nil, event: .loggedOut)
                }
                return try transaction.hidden()
            }
            // The token is deleted last: if the edit above fails, it is needed to request the deletion again.
            try engine.credentials.deleteToken(for: account)
            _ = try engine.announce(hidden)
        }
        return Deletion(store: store, isDropped: dropping)
    }
}

extension AccountDeletion {
    /// The request with these decisions.
    ///
    /// - Throws: ``KithError`` with `invalid` if `others` names a person.
    fileprivate init(_ lists: [ListID: ListDecision], others: ListDecision?) throws {
        let rest: Rest? =
            switch others {
            case nil: nil
            case .handOverToEditor: .editor
            case .delete: .delete
            case .handOver:
                throw KithError(.invalid, "Several lists cannot go to one person. Name each list with its person.")
            }
        let entries = lists.sorted { $0.key < $1.key }.map { Entry(list: $0.key, decision: $0.value) }
        self.init(lists: entries.isEmpty ? nil : entries, others: rest)
    }
}

extension KithClient {
    /// The session: which account this client uses on the server, and from which other devices it is used.
    public var session: Sessions { Sessions(client: self) }

    /// Throws `refused` if the client is pinned.
    func refusePinned() throws {
        if replica.isPinned { throw KithError.pinned }
    }

    /// The current account.
    ///
    /// - Throws: ``KithError`` with `refused` if an account is expected, and another one is the current one.
    func currentAccount(expecting expected: AccountID?) async throws -> ReplicaAccount {
        let account = try await replica.read { $0.account }
        if let expected, account.id != expected { throw KithError.otherAccount }
        return account
    }

    /// Sends a request with the current session, like ``SessionRequests/withSession(_:)``.
    ///
    /// - Throws: ``KithError`` with `refused` if an account is expected, and another one is the current one. Then nothing was
    ///   sent.
    func withSession<T: Sendable>(
        expecting expected: AccountID?, _ body: (SessionConnection) async throws -> T
    ) async throws -> T {
        // Before a first session is opened for another account.
        _ = try await currentAccount(expecting: expected)
        let session = try await requests.session()
        if let expected, session.id != expected { throw KithError.otherAccount }
        return try await requests.send(in: session, body)
    }
}
