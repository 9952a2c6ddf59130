import Foundation
import Kith
import KithModel
import KithServer

/// The end of a world of accounts. Every edit can be sent, or moved to a store from which it can be sent.
extension AccountsWorld {
    func heal() async throws {
        note("peace")
        internet.isLossy = false
        internet.offline = []
        for part in internet.signIn { part.mail.isReliable = true }
        for _ in 0..<3 {
            for device in devices { try await syncEveryStore(of: device) }
        }
        for device in devices {
            try await judge(device)
            try await judgeSent(device)
            try await judgeSentPictures(of: device)
            try await judgeKinds(of: device)
            try await rescue(device)
        }
        try await judgeLogOuts()
    }

    /// Syncs each store with its own server.
    private func syncEveryStore(of device: AccountsDevice) async throws {
        for store in try await self.contents(of: device).stores {
            guard let account = store.account, let home = internet.home(of: account),
                let address = internet.address(of: home)
            else { continue }
            let client = try device.client(in: store.scope, at: address)
            try await call(device, "syncs \(store.scope)", by: client) { try await client.syncNow() }
        }
        // Syncs once more with each server, so that it can be told of sessions that have ended.
        for server in internet.servers.indices {
            guard let address = internet.address(of: server) else { continue }
            try device.restart(at: address)
            try await call(device, "meets \(internet.servers[server].name)") { try await device.client.syncNow() }
        }
    }

    /// Checks that everything that could be sent was sent.
    private func judgeSent(_ device: AccountsDevice) async throws {
        let contents = try await self.contents(of: device)
        for store in contents.stores where store.state.isReadyToShare && store.waiting > 0 {
            throw fail("\(device.name): \(store.scope) has a session and keeps \(store.waiting) edits")
        }
    }

    /// Checks that the device knows of each account with a session whether it is identified.
    private func judgeKinds(of device: AccountsDevice) async throws {
        for store in try await contents(of: device).stores where store.state.isReadyToShare {
            guard let account = store.account, let home = internet.home(of: account),
                let token = try device.credentials.token(for: account),
                let session = try await internet.servers[home].sessions.verify(token)
            else { continue }
            if store.isIdentified != (session.kind == "identified") {
                throw fail("\(device.name): \(account) is \(session.kind), and the device shows \(store.state)")
            }
        }
    }

    /// Moves the content of every store without a session to a new account, and sends it.
    private func rescue(_ device: AccountsDevice) async throws {
        guard let address = internet.address(of: 0) else { return }
        try device.restart(at: address)
        try await switchStore(of: device, "opens a session to move to") {
            try await device.client.session.open().hidden
        }
        guard let account = try await device.client.session.account() else {
            throw fail("\(device.name): no session opens")
        }
        let contents = try await self.contents(of: device)
        for store in contents.stores where !store.state.isReadyToShare && store.lists > 0 {
            try await call(device, "moves all lists out of \(store.scope)") {
                let moved = try await device.client.lists.moveLists(from: store.scope, to: .account(account))
                self.noteMoved(moved, from: store, to: .account(account), contents, on: device)
            }
        }
        try await call(device, "sends what was moved") { try await device.client.syncNow() }
        let after = try await self.contents(of: device)
        for store in after.stores where !store.state.isReadyToShare && store.lists > 0 {
            throw fail("\(device.name): \(store.lists) lists cannot be moved out of \(store.scope)")
        }
        if let store = after.store(.account(account)), store.waiting > 0 {
            throw fail("\(device.name): \(store.waiting) edits of what was moved are not sent")
        }
    }

    /// Checks that every server was told of each session that has ended on a device.
    private func judgeLogOuts() async throws {
        for token in loggedOut.sorted() {
            guard let grant = internet.grants[token] else { continue }
            let server = internet.servers[grant.server]
            if try await server.accepts(token) {
                throw fail("\(server.name) still accepts a token of \(grant.account), who has logged out")
            }
        }
    }
}
