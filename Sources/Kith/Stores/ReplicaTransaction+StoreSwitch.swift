import GRDB
package import KithModel

/// Switching the device to another store.
extension ReplicaTransaction {
    /// Gives the current account the identity of a new session.
    ///
    /// The new account takes over the content of the userless store. It also takes over the store of an account whose
    /// token is not accepted any more, if the server cannot have stored any records of that account. Otherwise that data
    /// stays in its own store, and the new account takes over unsent edits that make sense without it, under new
    /// identities where the server may know the old ones. If the session is on a different server from the account's,
    /// the new account starts empty.
    package func adopt(_ id: AccountID, at home: ServerIdentity = .unknown) throws {
        let isHome = account.home == home || account.home.verdict(on: home) == .same
        if try account.id == nil || (isHome && !account.hasSyncedRecords(db) && !mayBeKnown()) {
            if account.id != nil {
                try outbox.renumber()
                account.takeNewDevice(dependencies.makeID())
                account.token = nil
                try digests.forgetAll()
                try resendDataOutsideFeeds()
            }
            account.id = id
            account.home = home
            handle(.opened)
            account.error = nil
        } else {
            // In the state `initial` the new session replaces one that the account's own server refuses.
            let takesUnsent = isHome && account.state == .initial
            try switchStore(to: id, event: .opened, at: home, takingUnsent: takesUnsent)
        }
    }

    /// Whether the server may have received an edit of a record that the store still shows, or that has unsent edits.
    private func mayBeKnown() throws -> Bool {
        try outbox.sentKeys().contains { key in
            if let record = try record(key), !record.isRemoved { return true }
            return try !outbox.unsent(of: key).isEmpty
        }
    }

    /// Makes the store of an account the current one, and creates its row if there is none. Observers receive the lists and
    /// contacts of this store as added, and those of the former store as removed.
    ///
    /// - Parameters:
    ///   - id: The account; nil for the userless store.
    ///   - event: The event for the session of the store.
    ///   - home: The server that the account belongs to; nil if it stays the stored one.
    ///   - takesUnsent: Whether unsent edits move to the new account.
    /// - Throws: ``KithError`` with `refused` if the client is pinned; an error of the database.
    package func switchStore(
        to id: AccountID?, event: SessionMachine.Event, at home: ServerIdentity? = nil,
        takingUnsent takesUnsent: Bool = false
    ) throws {
        guard !isPinned else { throw KithError.pinned }
        try willSwitch()
        let next = try store(of: id)
        handle(.left(hasAccount: account.id != nil))
        if takesUnsent { try moveUnsent(UnsentMove(from: account, to: next, isDecided: false, in: self)) }
        try account.save(db)
        storesLeft.append(account.key)
        try enter(ReplicaAccount.with(key: next.key, db) ?? next, event: event, at: home)
    }

    /// The store of an account, or the userless one. Creates its row if there is none.
    private func store(of id: AccountID?) throws -> ReplicaAccount {
        let device: DeviceID = dependencies.makeID()
        return try ReplicaAccount.at(AccountScope(id), db)
            ?? ReplicaAccount.insert(id: id, state: .initial, device: device, db)
    }

    /// Makes a store the current one.
    private func enter(_ store: ReplicaAccount, event: SessionMachine.Event, at home: ServerIdentity? = nil) throws {
        var store = store
        if let home { store.home = home }
        store.isUndecided = false
        try store.makeCurrent(db)
        account = store
        handle(event)
        try didSwitch()
    }

    /// Deletes the rows of a store, or of every store if `scope` is nil. In place of the current store, the userless one
    /// becomes the current one. Does nothing if there is no such store.
    ///
    /// - Throws: ``KithError`` with `refused` if the store is the current one and `evenCurrent` is false; an error of the
    ///   database.
    func drop(_ scope: AccountScope?, evenCurrent: Bool) throws {
        let store = try scope.map { try ReplicaAccount.at($0, db) } ?? nil
        if scope != nil && store == nil { return }
        let isCurrent = store == nil || store?.key == account.key
        guard evenCurrent || !isCurrent else {
            throw KithError(.refused, "This store became the current one meanwhile. Nothing was changed.")
        }
        if isCurrent { try willSwitch() }
        try db.execute(sql: "DELETE FROM account WHERE ? IS NULL OR key = ?", arguments: [store?.key, store?.key])
        guard isCurrent else { return try keepOneCurrent(as: store?.state == .initial ? .initial : .loggedOut) }
        isDropped = true
        // In the state `initial` the client would open a new session. After any other state it stays logged out.
        try enter(self.store(of: nil), event: account.state == .initial ? .begun : .loggedOut)
    }

    /// Moves the unsent edits of a store to another one.
    func moveUnsent(_ move: UnsentMove) throws { for rules in collections.all { try rules.moveUnsent(move) } }

    /// Deletes mutations that have moved from the outbox of their store, except those with a number.
    ///
    /// The server may have a mutation with a number, and accepts no gap in the numbers. New numbers under a new device
    /// identity would close the gap, but the server would then apply everything that is in flight a second time, and
    /// additions would count twice. So mutations with a number stay. If they are sent again, the server recognises
    /// them.
    ///
    /// A store that is over sends nothing again, so all of the mutations are deleted.
    func withdraw(_ mutations: [StoredMutation], of store: ReplicaAccount) throws {
        let outbox = Store(db, store).outbox
        guard store.isOver else { return try outbox.withdraw(mutations.filter { $0.number == nil }) }
        // The mutations may have been read before they lost their numbers.
        let leavesGap = try mutations.contains { $0.number != nil } && outbox.hasNumbered()
        try outbox.withdraw(mutations)
        guard leavesGap else { return }
        let dropsEdits = try outbox.renumber()
        try change(store) { store in
            store.takeNewDevice(dependencies.makeID())
            if dropsEdits { store.token = nil }
        }
    }

    /// Changes the row of a store.
    func change(_ store: ReplicaAccount, _ change: (inout ReplicaAccount) -> Void) throws {
        if store.key == account.key { return change(&account) }
        guard var stored = try ReplicaAccount.with(key: store.key, db) else { return }
        change(&stored)
        try stored.save(db)
    }

    /// Changes the row of the store of this scope, if there is one.
    func change(_ scope: AccountScope, _ change: (inout ReplicaAccount) -> Void) throws {
        if let store = try ReplicaAccount.at(scope, db) { try self.change(store, change) }
    }

    /// Passes an event to the session of an account, whose store may be hidden. The effects for a hidden store are left to the
    /// caller.
    func handle(_ event: SessionMachine.Event, of account: AccountID) throws {
        if self.account.id == account { return handle(event) }
        try change(.account(account)) { store in
            var random = dependencies.random
            _ = store.session.handle(event, at: now, using: &random)
        }
    }

    /// Marks everything that is sent outside of feeds, so that it is sent again: the server was restored, or a new
    /// account replaces the current one, so the server may not have it.
    func resendDataOutsideFeeds() throws {
        for rules in collections.all { try rules.resendDataOutsideFeeds(in: self) }
    }

    /// Creates the userless store if it is missing. It is missing after the first session has taken it over.
    func makeUserlessStore(as state: SessionState = .loggedOut) throws {
        guard try ReplicaAccount.at(.userless, db) == nil else { return }
        _ = try ReplicaAccount.insert(id: nil, state: state, device: dependencies.makeID(), db)
    }

    /// Makes the userless store the current one if the current store was dropped by a pinned client. `state` is
    /// used if the userless store has to be created.
    func keepOneCurrent(as state: SessionState) throws {
        guard try !db.exists("SELECT 1 FROM account WHERE isCurrent") else { return }
        try makeUserlessStore(as: state)
        try db.execute(sql: "UPDATE account SET isCurrent = (id IS NULL)")
    }
}

extension ReplicaAccount {
    /// Whether nothing of the account can be sent again: it was deleted, or the server refuses its token and it is
    /// anonymous, so that nobody can sign in to it.
    fileprivate var isOver: Bool {
        state == .inactive || (state == .invalidToken && !session.isIdentified)
    }
}

extension KithError {
    static let pinned = KithError(
        .refused, "This client works in one store only. Make one without `account` to change the session.")
}
