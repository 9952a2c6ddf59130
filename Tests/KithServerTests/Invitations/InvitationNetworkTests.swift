import Foundation
import KithModel
import KithServer
import Processes
import Testing

@Suite("The limit of invitations of a network") struct InvitationNetworkTests {
    private static let network = ClientNetwork("203.0.113.0")

    private let world: InvitationWorld
    private var made = 0

    init() throws { world = try InvitationWorld() }

    /// A person of a network who sends invitations.
    ///
    /// - Returns: The reasons of those that have failed.
    @discardableResult
    private mutating func send(_ count: Int, from network: ClientNetwork?) throws -> [MessageFailure.Reason] {
        var person = try world.person("Somebody")
        person.network = network
        let mutations = (0..<count).map { _ in
            made += 1
            return person.invite("mailto:person\(made)@example.com")
        }
        try person.sync(mutations)
        try world.work()
        try person.sync()
        return person.invitations.compactMap(\.failure?.reason)
    }

    private func uses() throws -> [Int64] {
        try world.town.database.readNow { transaction in
            try transaction.query(
                "SELECT amount FROM usage WHERE kind = 'invitationsOfNetwork' ORDER BY amount"
            ).map { try $0.integer(0) }
        }
    }

    @Test("All accounts of a network share it, and an office of five accounts can use up the limit of each")
    mutating func limit() throws {
        #expect(Limits.invitationsOfNetworkADay >= 5 * Limits.invitationsADay)
        #expect(try send(2, from: Self.network).isEmpty)
        try world.town.execute(
            "UPDATE usage SET amount = ? WHERE kind = 'invitationsOfNetwork'",
            [.integer(Int64(Limits.invitationsOfNetworkADay - 1))])
        #expect(try send(2, from: Self.network) == [.senderLimit])
        #expect(try send(1, from: Self.network) == [.senderLimit])
        #expect(try send(1, from: ClientNetwork("198.51.100.0")).isEmpty)
        #expect(try uses() == [1, Int64(Limits.invitationsOfNetworkADay)])
        world.town.pass(.days(1))
        #expect(try send(1, from: Self.network).isEmpty)
    }

    @Test("The accounts of an office send two hundred each") mutating func office() throws {
        for _ in 1...2 { #expect(try send(Limits.invitationsADay, from: Self.network).isEmpty) }
        #expect(try uses() == [Int64(2 * Limits.invitationsADay)])
    }

    @Test("Sending again counts too; an invitation that the limit of the account stops does not count for the network")
    mutating func resending() throws {
        var ada = try world.person("Ada")
        ada.network = Self.network
        try ada.sync(ada.invite("mailto:ben@example.com"))
        try world.work()
        try ada.sync()
        world.town.pass(Limits.resend)
        ada.network = ClientNetwork("2001:db8:1:200::")
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        #expect(try uses() == [1, 1])
        try world.town.execute(
            "UPDATE usage SET amount = ? WHERE kind = 'invitation'", [.integer(Int64(Limits.invitationsADay))])
        try ada.sync(ada.invite("mailto:cleo@example.com"))
        try world.work()
        #expect(try uses() == [1, 1])
    }

    @Test("The database never has the network, and forgets its hash when the invitation is sent")
    mutating func hash() throws {
        func hashes() throws -> [Data?] {
            try world.town.database.readNow { transaction in
                try transaction.query("SELECT network FROM invitation").map { try $0.optionalBytes(0) }
            }
        }
        var ada = try world.person("Ada")
        ada.network = Self.network
        try ada.sync(ada.invite("mailto:ben@example.com"))
        let hash = try #require(try hashes().first ?? nil)
        let expected = try world.town.database.readNow { transaction in
            try MessageSecret(existing: transaction)?.hash(of: Self.network)
        }
        #expect(hash == expected?.bytes && hash.count == 16)
        try world.work()
        #expect(try hashes() == [nil])
    }

    @Test("The server passes the network of each request") func request() async throws {
        try await PageServer.run { world in
            var device = TestDevice(world.owner)
            try await device.sync(with: world.server)
            var fields = Invitation.Purpose.connect.fields
            fields["recipient"] = "mailto:ben@example.com"
            fields["requested"] = .integer(HandClock.start.milliseconds)
            let invitation = device.mutation(
                1, .invitations, UUID(), in: ListID(world.owner.account.uuid), set: fields)
            try await device.sync([invitation], with: world.server)
            let gateway = world.gateway
            try await Limit("The invitation is sent").until { !gateway.delivered.isEmpty }
            let uses = try await world.database.read { transaction in
                try transaction.query("SELECT amount FROM usage WHERE kind = 'invitationsOfNetwork'")
                    .map { try $0.integer(0) }
            }
            #expect(uses == [1])
        }
    }
}
