import Kith
import KithModel

/// What people do with their lists and with the stores that contain them.
extension AccountsWorld {
    // MARK: Lists

    func edit(_ device: AccountsDevice, in scope: AccountScope?) async throws {
        let client = try scope.map { try device.client(in: $0) } ?? device.client
        let account: AccountID? = try await client.session.account()
        let place = scope.map { " in \($0)" } ?? ""
        let lists = try await client.lists.all()
        guard let list = lists.randomElement(using: &random), !random.oneIn(5) else {
            guard lists.count < 3 else { return }
            let name = "list \(step)"
            try await call(device, "makes \(name)\(place)", by: client) {
                let list = try await client.lists.create(name)
                self.auditor.made(name, in: list.id, of: account, on: device.index)
            }
            return
        }
        let item = try await client.lists.items(in: list.id).randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            try await call(device, "removes \(list.name)\(place)", by: client) {
                try await client.lists.remove(list.id)
                self.auditor.removed(list.id)
            }
        case 1...2:
            guard let item else { return }
            try await call(device, "removes \(item.title)\(place)", by: client) {
                try await client.lists.remove(item.id)
                self.auditor.removed([item.title])
            }
        default:
            let title = "item \(step)"
            try await call(device, "adds \(title) to \(list.name)\(place)", by: client) {
                try await client.lists.add(title, to: list.id)
                self.auditor.made(title, in: list.id, of: account, on: device.index)
            }
        }
    }

    /// Edits a store that is not current, and perhaps syncs it.
    func editElsewhere(on device: AccountsDevice) async throws {
        let scopes = try await self.contents(of: device).stores.map(\.scope)
        guard let scope = scopes.randomElement(using: &random) else { return }
        try await edit(device, in: scope)
        if random.oneIn(2) {
            let client = try device.client(in: scope)
            try await call(device, "syncs \(scope)", by: client) { try await client.syncNow() }
        }
    }

    /// Moves lists from one store to another.
    func move(on device: AccountsDevice) async throws {
        let contents = try await self.contents(of: device)
        let full = contents.stores.filter { $0.lists > 0 }
        guard let from = full.randomElement(using: &random),
            let to = contents.stores.filter({ $0.scope != from.scope }).randomElement(using: &random)
        else { return }
        let all = contents.lists[from.scope, default: []].map(\.id)
        let some = random.oneIn(2) ? all : Array(all.prefix(1))
        try await call(device, "moves \(some.count) lists from \(from.scope) to \(to.scope)") {
            let moved = try await device.client.lists.moveLists(some, from: from.scope, to: to.scope)
            self.noteMoved(moved, from: from, to: to.scope, contents, on: device)
        }
    }

    func noteMoved(
        _ moved: [ListID: ListID], from: StoredAccount, to scope: AccountScope, _ before: DeviceContents,
        on device: AccountsDevice
    ) {
        var account: AccountID?
        if case .account(let id) = scope { account = id }
        for (old, new) in moved {
            let texts = before.texts(in: old, within: from.scope)
            // If the account can send nothing any more, the list is removed only from this device.
            if from.state == .inactive || from.state == .invalidToken {
                auditor.dropped(texts, on: device.index)
            } else {
                auditor.removed(old)
            }
            auditor.moved(texts, to: new, of: account, on: device.index)
        }
    }

    // MARK: Dropping

    /// Drops a store, in some cases through a client for another store.
    func drop(on device: AccountsDevice) async throws {
        let before = try await contents(of: device)
        guard random.oneIn(2), let store = before.stores.randomElement(using: &random) else { return }
        let others = before.stores.map(\.scope).filter { $0 != store.scope }
        let scope = random.oneIn(3) ? others.randomElement(using: &random) : nil
        let client = try scope.map { try device.client(in: $0) } ?? device.client
        let what = "drops \(store.scope)" + (scope.map { " in a client of \($0) only" } ?? "")
        let tokens = try self.tokens(of: before, on: device)
        let dropped = try await call(device, what, by: client) {
            let dropped = try await client.accounts.drop(store.scope)
            self.noteEnded(dropped, tokens)
            self.auditor.dropped(before.droppable(within: store.scope), on: device.index)
            self.auditor.dropped(store.scope, on: device.index)
            if let account = store.account { self.internet.ended.insert(account) }
            return dropped
        }
        guard let dropped else { throw fail("\(device.name) \(what): it is refused") }
        if let fault = auditor.droppingFault(of: [store], dropped, before, try await contents(of: device)) {
            throw fail("\(device.name) \(what): \(fault)")
        }
    }

    /// Notes the tokens whose sessions end because their stores were dropped: those of identified accounts.
    func noteEnded(_ dropped: [StoredAccount], _ tokens: [AccountID: String]) {
        loggedOut.formUnion(dropped.filter(\.isIdentified).compactMap { $0.account.flatMap { tokens[$0] } })
    }

    /// Drops everything on a device. A pinned client must refuse, because it needs this store.
    func dropEverything(on device: AccountsDevice) async throws {
        let before = try await contents(of: device)
        let scope = random.oneIn(4) ? before.stores.randomElement(using: &random)?.scope : nil
        let client = try scope.map { try device.client(in: $0) } ?? device.client
        let what = "drops everything" + (scope.map { " in a client of \($0) only" } ?? "")
        let tokens = try self.tokens(of: before, on: device)
        let dropped = try await call(device, what, by: client) {
            let dropped = try await client.accounts.dropEverything()
            self.noteEnded(dropped, tokens)
            self.auditor.droppedEverything(on: device.index)
            return dropped
        }
        let after = try await contents(of: device)
        if scope != nil {
            guard dropped == nil, after.stores == before.stores else {
                throw fail("\(device.name) \(what): it is not refused")
            }
            return
        }
        guard let dropped else { throw fail("\(device.name) \(what): it is refused") }
        if let fault = auditor.droppingFault(of: before.stores, dropped, before, after) {
            throw fail("\(device.name) \(what): \(fault)")
        }
        if after.stores.map(\.scope) != [.userless] {
            throw fail("\(device.name) \(what): \(after.stores.map(\.scope)) are left")
        }
    }
}
