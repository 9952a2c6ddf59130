import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import KithServer
import Testing

@Suite("Discovery with a filter", .timeLimit(.minutes(15))) struct FilteredLookTests {
    private static let (description, evaluations) = ("/v1/discovery", "/v1/discovery/evaluations")
    private static let (filter, buckets) = ("/v1/discovery/filter", "/v1/discovery/buckets")

    /// An address book with 300 numbers, of which these are registered, and a service with 20,000 others.
    private static func people() -> [(String, String)] { (0..<300).map { ("Person \($0)", number($0)) } }
    private static func number(_ index: Int) -> String { "+43664\(1_000_000 + index)" }

    private static func run(
        _ registered: [Int], _ body: (DiscoveryWorld, [AccountID], Seeking) async throws -> Void
    ) async throws {
        try await DiscoveryWorld.run { world in
            var accounts: [AccountID] = []
            for index in registered { accounts.append(try await world.join("tel:\(number(index))")) }
            try await world.crowd(20_000)
            try await body(world, accounts, try await world.device(people()))
        }
    }

    @Test("a look that connects reads the filter and few buckets, finds the same people, and asks all of them")
    func connecting() async throws {
        try await Self.run([3, 77, 299]) { world, accounts, device async throws in
            let other = try await world.device(Self.people(), "other")
            _ = try await other.client.session.open()
            _ = other.line.takenBytes()
            #expect(try await other.discovery.look().matches.map(\.account) == accounts)
            #expect(other.line.taken() == [Self.description, Self.evaluations, Self.buckets])
            let plain = other.line.takenBytes()

            _ = try await device.client.session.open()
            _ = device.line.takenBytes()
            #expect(try await device.discovery.look(connecting: true).matches.map(\.account) == accounts)
            #expect(
                device.line.taken() == [Self.description, Self.evaluations, Self.filter, Self.buckets])
            #expect(device.line.takenBytes() < plain)
            let contacts = try await device.client.network.contacts(in: .everyone)
            #expect(Set(contacts.map(\.id)) == Set(accounts))

            // The next day costs what it costs without a filter.
            let joined = try await world.join("tel:\(Self.number(5))")
            for seeking in [device, other] {
                #expect(try await seeking.discovery.look().added.map(\.account) == [joined])
                #expect(seeking.line.taken() == [Self.description, Self.buckets])
            }
            try await world.change { try $0.withdraw(accounts[0], in: $1) }
            #expect(try await device.discovery.look().removed.map(\.account) == [accounts[0]])
        }
    }

    @Test("an account that connects automatically reads the filter too") func automatic() async throws {
        try await Self.run([8]) { _, accounts, device async throws in
            try await device.discovery.setConnectsAutomatically(true)
            #expect(try await device.discovery.look().matches.map(\.account) == accounts)
            #expect(device.line.taken().contains(Self.filter))
            #expect(device.found == ["Person 8"])
        }
    }

    @Test("Trap: An older server has no filter – the device reads all buckets") func olderServer() async throws {
        try await Self.run([8]) { _, accounts, device async throws in
            device.line.hide(Self.filter)
            #expect(try await device.discovery.look(connecting: true).matches.map(\.account) == accounts)
            #expect(device.line.taken() == [Self.description, Self.evaluations, Self.filter, Self.buckets])
            #expect(try await device.discovery.status().identities == 300)
        }
    }

    @Test("Trap: The filter is damaged on its way, or a lie – the look fails clearly, and the next one finds everybody")
    func damaged() async throws {
        try await Self.run([8]) { _, accounts, device async throws in
            device.line.replaces(Self.filter, by: Data("KDF1 and nothing else that makes sense".utf8))
            let error = await #expect(throws: KithError.self) {
                try await device.discovery.look(connecting: true)
            }
            #expect(error?.code == .malformed)
            #expect(try await device.discovery.status().lastLooked == nil)
            device.line.replaces(Self.filter, by: nil)
            #expect(try await device.discovery.look(connecting: true).matches.map(\.account) == accounts)
        }
    }

    @Test("Trap: A look breaks after the filter – the next look asks for the same decoys, and finds everybody")
    func broken() async throws {
        try await Self.run([8, 9]) { _, accounts, device async throws in
            _ = try await device.client.session.open()
            device.line.breaks(after: 3)
            await #expect(throws: KithError.self) { try await device.discovery.look(connecting: true) }
            #expect(try await device.discovery.matches().isEmpty)
            let attempted = device.line.prefixes
            device.line.mend()
            #expect(try await device.discovery.look(connecting: true).matches.map(\.account) == accounts)
            #expect(device.line.prefixes == attempted + attempted)
            #expect(attempted.count == 1 && attempted[0].count > 16)
        }
    }

    @Test("Trap: The key ends between the description and the filter – the look begins again with the new key")
    func keyEnds() async throws {
        try await Self.run([8]) { world, accounts, device async throws in
            _ = try await device.client.session.open()
            _ = try world.keys.add()
            device.line.before(Self.filter) {
                try await world.keepUp()
                world.clock.advance(.days(31))
                try await world.keepUp()
            }
            // The others of the crowd are known under the old key only, so all have one bucket under the new key.
            #expect(try await device.discovery.look(connecting: true).matches.map(\.account) == accounts)
            #expect(device.line.taken().filter { $0 == Self.filter }.count == 1)
        }
    }
}
