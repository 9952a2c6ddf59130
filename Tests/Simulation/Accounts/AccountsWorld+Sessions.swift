import Foundation
import Kith
import KithModel

/// What people do with their sessions, and what servers do with sessions.
extension AccountsWorld {
    /// Sets another server's address on the device by mistake, or its own server's again.
    func changeAddress(of device: AccountsDevice) async throws {
        let others = internet.places.keys.filter { $0 != device.address }.sorted(by: Self.order)
        guard let address = others.randomElement(using: &random) else { return }
        try device.restart(at: address)
        note("\(device.name): is pointed at \(address)")
        if random.oneIn(2) { try await call(device, "syncs there") { try await device.client.syncNow() } }
    }

    /// Enters a token: one of the server at the device's address, or one that the device already has.
    func activate(on device: AccountsDevice) async throws {
        let here = internet.places[device.address]
        let known = try await self.contents(of: device).stores.compactMap(\.account)
        let tokens = internet.grants.filter { $0.value.server == here || known.contains($0.value.account) }
        guard let token = tokens.keys.sorted().randomElement(using: &random), let grant = internet.grants[token] else {
            return
        }
        // A device only knows the servers of tokens that it has stored.
        internet.typedToken = try device.credentials.token(for: grant.account) == token ? nil : token
        defer { internet.typedToken = nil }
        try await switchStore(of: device, "activates \(grant.account)") {
            let before = try self.tokens(of: try await self.contents(of: device), on: device)
            let hidden = try await device.client.session.activate(token: token).hidden
            if let old = before[grant.account] { self.loggedOut.insert(old) }
            self.loggedOut.remove(token)
            return hidden
        }
    }

    func openSession(on device: AccountsDevice) async throws {
        try await switchStore(of: device, "opens a new session") { try await device.client.session.open().hidden }
    }

    func select(on device: AccountsDevice) async throws {
        let stores = try await self.contents(of: device).stores
        guard let store = stores.randomElement(using: &random) else { return }
        try await switchStore(of: device, "selects \(store.scope)", asks: false) {
            try await device.client.session.select(store.scope)
        }
    }

    /// Ends a device's session on the server. When the device syncs, it gets a new session, which hides the old
    /// account's store if the server has records of it.
    func loseSession(of device: AccountsDevice) async throws {
        guard let account = try await device.client.session.account(),
            let token = try device.credentials.token(for: account), !internet.deadTokens.contains(token),
            let grant = internet.grants[token], internet.places[device.address] == grant.server
        else { return }
        try await internet.end(token, on: grant.server)
        note("\(internet.servers[grant.server].name): ends the session of \(device.name)")
        try await call(device, "syncs") { try await device.client.syncNow() }
    }

    // MARK: Ending sessions

    func logOut(of device: AccountsDevice) async throws {
        guard random.oneIn(2), let account = try await device.client.session.account() else { return }
        let before = try await contents(of: device)
        let what = "logs out of \(account)"
        try await switchStore(of: device, what, asks: false) {
            try await self.logOut(of: account, device, device.client).hidden
        }
        try await judgeEnd(of: account, as: .loggedOut, what, before, on: device, current: .userless)
    }

    /// Logs out in a pinned client. That client continues with its store, and the device with its current one.
    func logOutInOneStore(of device: AccountsDevice) async throws {
        guard let (account, client) = try await oneAccount(of: device) else { return }
        let before = try await contents(of: device)
        let what = "logs out in a client of \(account) only"
        let logOut = try await call(device, what, by: client) { try await self.logOut(of: account, device, client) }
        guard let hidden = logOut?.hidden else { throw fail("\(device.name) \(what): it is refused") }
        if !hidden.isEmpty || hidden.current != .account(account) {
            throw fail("\(device.name) \(what): it says that it hides \(hidden)")
        }
        try await judgeEnd(of: account, as: .loggedOut, what, before, on: device, current: before.current)
    }

    private func logOut(
        of account: AccountID, _ device: AccountsDevice, _ client: KithClient
    ) async throws -> Sessions.LogOut {
        let token = try device.credentials.token(for: account)
        let logOut = try await client.session.logOut()
        internet.ended.insert(account)
        if let token { loggedOut.insert(token) }
        return logOut
    }

    func deleteAccount(of device: AccountsDevice) async throws {
        guard let account = try await device.client.session.account() else { return }
        let before = try await contents(of: device)
        let isDropping = random.oneIn(2)
        let what = "deletes \(account)" + (isDropping ? " and what is here of it" : "")
        let deletion = try await call(device, what, asks: false) {
            let deletion = try await device.client.session.deleteAccount(dropping: isDropping)
            if deletion.isDropped {
                self.auditor.dropped(before.droppable(within: .account(account)), on: device.index)
                self.auditor.dropped(.account(account), on: device.index)
            }
            return deletion
        }
        guard let deletion else { return }
        try await judge(deletion, of: account, isDropping: isDropping, what, before, on: device, current: .userless)
    }

    /// Deletes the account of a pinned client. Dropping the store too must be refused, because the client needs
    /// it.
    func deleteAccountInOneStore(of device: AccountsDevice) async throws {
        guard let (account, client) = try await oneAccount(of: device) else { return }
        let before = try await contents(of: device)
        let isDropping = random.oneIn(4)
        let what = "deletes \(account)" + (isDropping ? " and what is here of it" : "") + " in a client of it only"
        let deletion = try await call(device, what, by: client) {
            try await client.session.deleteAccount(dropping: isDropping)
        }
        if isDropping {
            let after = try await contents(of: device)
            guard deletion == nil, after.stores == before.stores else {
                throw fail("\(device.name) \(what): it is not refused")
            }
        } else if let deletion {
            try await judge(
                deletion, of: account, isDropping: false, what, before, on: device, current: before.current)
        }
    }

    /// One of the device's accounts and a client for it, in some cases with the address of its own server.
    private func oneAccount(of device: AccountsDevice) async throws -> (AccountID, KithClient)? {
        let accounts = try await contents(of: device).stores.compactMap(\.account)
        guard let account = accounts.randomElement(using: &random) else { return nil }
        let home = random.oneIn(2) ? internet.home(of: account).flatMap { internet.address(of: $0) } : nil
        return (account, try device.client(in: .account(account), at: home))
    }

    // MARK: Checking

    /// Checks that a deletion reports what the store had, and that the store has ended as requested.
    private func judge(
        _ deletion: Sessions.Deletion, of account: AccountID, isDropping: Bool, _ what: String,
        _ before: DeviceContents, on device: AccountsDevice, current: AccountScope
    ) async throws {
        let scope = AccountScope.account(account)
        guard let store = before.store(scope) else { throw fail("\(device.name) \(what): it had no such store") }
        if deletion.store.scope != scope || deletion.store.amounts != store.amounts {
            throw fail(
                "\(device.name) \(what): \(scope) had \(store.amounts), and \(deletion.store.scope) is said to have had "
                    + deletion.store.amounts)
        }
        if deletion.isDropped != isDropping { throw fail("\(device.name) \(what): it says \(deletion.isDropped)") }
        guard isDropping else {
            return try await judgeEnd(of: account, as: .inactive, what, before, on: device, current: current)
        }
        let after = try await contents(of: device)
        if let fault = auditor.droppingFault(of: [store], [store], before, after) {
            throw fail("\(device.name) \(what): \(fault)")
        }
    }

    /// Checks that the account's session has ended, its store is unchanged, and the right store is current.
    private func judgeEnd(
        of account: AccountID, as state: SessionState, _ what: String, _ before: DeviceContents,
        on device: AccountsDevice, current: AccountScope
    ) async throws {
        let after = try await contents(of: device)
        if let fault = auditor.keepingFault(of: .account(account), as: state, before, after) {
            throw fail("\(device.name) \(what): \(fault)")
        }
        if after.current != current {
            throw fail("\(device.name) \(what): \(after.current) is the current store, and \(current) should be")
        }
    }
}
