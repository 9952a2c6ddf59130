import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import Synchronization
import Testing

@Suite("Discovery, while another account becomes the current one", .timeLimit(.minutes(15)))
struct SwitchedAccountTests {
    private static let people = [("Ada", "0664 1234567"), ("Ben", "+49 30 1234567")]

    /// A device of two accounts, of which the first is the current one.
    private func device(
        in world: DiscoveryWorld, _ credentials: any CredentialStore = InMemoryCredentialStore()
    ) async throws -> (Seeking, first: AccountID, second: AccountID) {
        let device = try await world.device(Self.people, credentials: credentials)
        let first = try await device.client.session.open().account
        let second = try await device.client.session.open().account
        try await device.client.session.select(.account(first))
        return (device, first, second)
    }

    @Test(
        "Law 8: A look belongs to the account that began it, whenever another becomes current"
    )
    func token() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("tel:+436641234567")
            let store = InterruptedStore()
            let (device, first, second) = try await device(in: world, store)
            let client = device.client
            store.interrupt { try client.replica.writeNow { try $0.switchStore(to: second, event: .opened) } }
            let error = await #expect(throws: KithError.self) { try await device.discovery.look() }
            #expect(error?.code == .refused)
            #expect(try await client.session.account() == second)
            #expect(try await device.discovery.status().identities == 0)
            try await client.session.select(.account(first))
            #expect(try await device.discovery.look().evaluated == 2)
        }
    }

    @Test("Law 8: Late results for one account are not shown to another")
    func show() async throws {
        try await DiscoveryWorld.run { world in
            let ada = try await world.join("tel:+436641234567")
            let (device, _, second) = try await device(in: world)
            try await device.discovery.look()
            #expect(device.found == ["Ada"])
            let mark = try device.client.replica.readNow { $0.account.mark }
            try await device.client.session.select(.account(second))
            try await device.discovery.look()
            let ben = try #require(Identity("tel:+49301234567"))
            let client = device.client
            await client.addressBook.show([ben: ada], of: mark, in: client.replica)
            #expect(device.found == ["Ada"])
        }
    }

    @Test("An account that becomes the current one looks for people who were added while another was current")
    func addedMeanwhile() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("mailto:dora@example.com")
            let (device, first, second) = try await device(in: world)
            for account in [first, second] {
                try await device.client.session.select(.account(account))
                try await device.discovery.look()
                try await device.discovery.setEnabled(true)
            }
            try await findDoraTwice(by: device) { try await device.client.session.select(.account(first)) }
        }
    }

    @Test("An account that enables discovery later than another looks for people who were added since its last look")
    func enabledLater() async throws {
        try await DiscoveryWorld.run { world in
            try await world.join("mailto:dora@example.com")
            let (device, first, second) = try await device(in: world)
            for account in [second, first] {
                try await device.client.session.select(.account(account))
                try await device.discovery.look()
            }
            try await device.discovery.setEnabled(true)
            try await findDoraTwice(by: device) {
                try await device.client.session.select(.account(second))
                try await device.discovery.setEnabled(true)
            }
        }
    }

    /// Adds Dora while the client runs. The current account finds her, and after `change` the other one does.
    private func findDoraTwice(by device: Seeking, _ change: () async throws -> Void) async throws {
        let running = Task { await device.client.run() }
        try await device.setBook(Self.people + [("Dora", "dora@example.com")])
        try await untilSomebodyIsFound(by: device)
        try await change()
        try await untilSomebodyIsFound(by: device)
        running.cancel()
        await running.value
    }

    /// Returns once the current account has a match.
    private func untilSomebodyIsFound(by device: Seeking) async throws {
        while try await device.discovery.matches().isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("Law 8: An account sends no request to another account's matches") func connect() async throws {
        try await DiscoveryWorld.run { world in
            let ada = try await world.join("tel:+436641234567")
            let ben = try await world.join("tel:+49301234567")
            let (device, first, second) = try await device(in: world)
            let client = device.client
            let found = try await device.discovery.look().added
            #expect(Set(found.map(\.account)) == [ada, ben])
            let mark = try client.replica.readNow { $0.account.mark }
            try await client.session.select(.account(second))
            let error = await #expect(throws: KithError.self) {
                try await device.discovery.connect(with: found, for: mark)
            }
            #expect(error?.code == .refused)
            let expecting = await #expect(throws: KithError.self) {
                try await device.discovery.connect(with: found, expecting: first)
            }
            #expect(expecting?.code == .refused)
            #expect(try await client.network.contacts(in: .everyone).isEmpty)
            try await client.session.select(.account(first))
            try await device.discovery.connect(with: found, for: mark)
            #expect(try await client.network.contact(ada)?.relation == .sent)
            #expect(try await client.network.contact(ben)?.relation == .sent)
        }
    }
}

/// Secrets in memory, and something that happens when a token is next asked for.
private final class InterruptedStore: CredentialStore {
    private let store = InMemoryCredentialStore()
    private let interruption = Mutex<(@Sendable () throws -> Void)?>(nil)

    func interrupt(_ body: @escaping @Sendable () throws -> Void) {
        interruption.withLock { $0 = body }
    }

    func secret(for credential: Credential) throws -> String? {
        let body = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        try body?()
        return store.secret(for: credential)
    }

    func save(_ secret: String, for credential: Credential) throws {
        store.save(secret, for: credential)
    }
    func delete(_ credential: Credential) throws { store.delete(credential) }
    func deleteAllTokens() throws { store.deleteAllTokens() }
}
