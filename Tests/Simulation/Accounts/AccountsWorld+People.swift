import Foundation
import Kith
import KithDiscovery
import KithModel
import KithServer

/// What people publish about themselves, and which people they look for.
extension AccountsWorld {
    // MARK: Pictures

    /// Sets or removes a picture. The change must be visible at once, even without a network.
    func setPicture(on device: AccountsDevice) async throws {
        let scope = try await contents(of: device).current
        let bytes = random.oneIn(5) ? nil : Data([0xFF, 0xD8, 0xFF] + "picture \(step)".utf8)
        var removesNothing = false
        if bytes == nil {
            // This throws if there is a picture that was not fetched yet.
            do { removesNothing = try await device.client.network.picture(.small) == nil } catch {}
        }
        let isDone: Void? = try await call(device, bytes == nil ? "removes its picture" : "sets a picture") {
            if let bytes {
                try await device.client.network.setPicture(small: bytes, large: bytes)
            } else {
                try await device.client.network.removePicture()
            }
        }
        guard isDone != nil else { throw fail("\(device.name): a picture is refused") }
        if !removesNothing { auditor.pictured(bytes ?? Data(), in: scope, on: device.index) }
    }

    /// Law 4: the picture that was last set on this device is visible on it.
    func judgePicture(on device: AccountsDevice) async throws {
        let scope = try await contents(of: device).current
        guard let picture = auditor.pictures[device.index]?[scope] else { return }
        let shown = try? await device.client.network.picture(.small)
        if shown ?? Data() == picture { return }
        let refused = try await contents(of: device).rejections[scope, default: []].map(\.sentence)
        throw fail("\(device.name): \(scope) does not show the picture that was set there; refused: \(refused)")
    }

    /// After everything was sent, the server must have the picture that was set last and return it to its owner.
    func judgeSentPictures(of device: AccountsDevice) async throws {
        for store in try await contents(of: device).stores where store.state.isReadyToShare {
            guard let account = store.account, let picture = auditor.pictures[device.index]?[store.scope],
                let home = internet.home(of: account)
            else { continue }
            let server = internet.servers[home]
            guard !server.wasRestored else { continue }
            let kept = try? await PictureService(database: server.database).picture(.large, of: account, to: account)
            if kept?.picture.bytes ?? Data() != picture {
                throw fail("\(device.name): \(server.name) does not show the picture that was set in \(store.scope)")
            }
        }
    }

    // MARK: Discovery

    private static let emails = (0..<2).map { "person\($0)@example.com" }

    /// Registers an email address for an account on the device's server, or removes its registration.
    private func register(for device: AccountsDevice) throws {
        guard let index = internet.places[device.address] else { return }
        let server = internet.servers[index]
        let accounts = Set(internet.grants.values.filter { $0.server == index }.map(\.account)).sorted()
        guard let account = accounts.randomElement(using: &random), try server.hasAccount(account),
            let email = Self.emails.randomElement(using: &random)
        else { return }
        let isGone = random.oneIn(3)
        try server.register(email, for: isGone ? nil : account, at: internet.time)
        note("\(server.name): \(email) is \(isGone ? "nobody’s" : "that of \(account)")")
    }

    /// Looks for some email addresses. The result must be exactly what the server has registered.
    func lookForPeople(on device: AccountsDevice) async throws {
        for _ in 0..<Int.random(in: 0...2, using: &random) { try register(for: device) }
        let emails = Self.emails.filter { _ in !random.oneIn(4) }
        let found = try await call(device, "looks for \(emails)") {
            try await device.client.discovery.look(for: emails)
        }
        guard let found, let account = try await device.client.session.account(),
            let home = internet.home(of: account)
        else { return }
        let owners = try internet.servers[home].owners(of: emails)
        let shown = Dictionary(uniqueKeysWithValues: found.map { ($0.identity.shown, $0.account) })
        if shown != owners { throw fail("\(device.name): finds \(shown), and \(owners) are there") }
        note("\(device.name): finds \(shown.count)")
        // The run also looks again for the identities of the last day, so more matches may be found.
        auditor.found(try await device.client.discovery.matches(), in: .account(account), on: device.index)
    }

    /// Law 8: an account shows no matches that another account has found.
    func judgeMatches(on device: AccountsDevice) async throws {
        let scope = try await contents(of: device).current
        let found = auditor.matches[device.index]?[scope] ?? []
        for match in try await device.client.discovery.matches() where !found.contains(match) {
            throw fail("\(device.name): \(scope) shows \(match), which it has not found")
        }
    }
}

extension SimulatedServer {
    /// Registers an email address for an account; nil removes the registration.
    func register(_ email: String, for account: AccountID?, at now: Timestamp) throws {
        guard let identity = EmailAddress(email).map(Identity.email) else { return }
        let register = IdentityRegister(keys: discoveryKeys, at: now)
        try database.writeNow { transaction in
            if let account {
                _ = try register.add(identity, to: account, moving: true, in: transaction)
            } else {
                try register.remove(identity, in: transaction)
            }
        }
    }

    /// The account that each email address is registered for. Addresses that are not registered are left out.
    func owners(of emails: [String]) throws -> [String: AccountID] {
        try database.readNow { transaction in
            let register = IdentityRegister(at: Timestamp(milliseconds: 0))
            var owners: [String: AccountID] = [:]
            for email in emails {
                guard let identity = EmailAddress(email).map(Identity.email) else { continue }
                owners[email] = try register.owner(of: identity, in: transaction)
            }
            return owners
        }
    }
}
