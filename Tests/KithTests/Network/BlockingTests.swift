import Foundation
import Kith
import KithModel
import Testing

@Suite("Blocking, muting and my profile") struct BlockingTests {
    private let ada = Circle.person(2)

    @Test("Trap: A re-sync erases blocks and mutes") func resync() async throws {
        let circle = try await Circle()
        let friend = try await circle.friend(3, "Grace")
        try await circle.network.mute(friend)
        try await circle.network.block(ada)
        try await circle.phone.client.syncNow()
        // The server tells of both again, and then the whole feed is read once more.
        circle.tell(friend, ["given": "Grace H."])
        circle.tell(ada, ["asked": .integer(circle.now.milliseconds)])
        try await circle.phone.client.syncNow()
        try circle.phone.execute("UPDATE feed SET isDoubtful = 1")
        try await circle.phone.client.syncNow()
        #expect(try await circle.network.muted().map(\.given) == ["Grace H."])
        #expect(try await circle.network.blocked().map(\.id) == [ada])
        #expect(try await circle.network.pendingCount() == 0)
    }

    @Test("An unsent block stays on top of changes that arrive") func unsentBlock() async throws {
        let circle = try await Circle()
        let friend = try await circle.friend(3, "Grace")
        try await circle.network.block(friend)
        let request = try #require(try circle.phone.rounds.begin())
        circle.tell(friend, ["status": "Hello"])
        var empty = request
        empty.mutations = []
        _ = try circle.phone.rounds.finish(request, circle.phone.server.answer(empty))
        #expect(try await circle.network.blocked().map(\.status) == ["Hello"])
        #expect(try await circle.network.contacts().isEmpty)
    }

    @Test("A block is not refused together with a request that was made before it") func afterRequest() async throws {
        let circle = try await Circle()
        try await circle.network.connect(ada)
        try await circle.network.block(ada)
        try await circle.network.mute(ada)
        let sent = try circle.phone.mutations().map(\.change)
        #expect(sent.first == .set(["wish": "connect"]) && sent.count == 2)
        #expect(sent.last?.touched == ["isBlocked", "mutedFrom", "mutedUntil"])
    }

    @Test("Trap: Blocking someone who is no contact never answers") func stranger() async throws {
        let circle = try await Circle()
        try await circle.network.block(ada)
        #expect(try await circle.network.blocked().map(\.id) == [ada])
        try await circle.phone.client.syncNow()
        try await circle.network.unblock(ada)
        try await circle.phone.client.syncNow()
        #expect(try await circle.network.contacts(in: .everyone).isEmpty)
        #expect(try await circle.phone.client.rejections().isEmpty)
    }

    @Test("An unblocked person has the same relation as before") func unblocking() async throws {
        let circle = try await Circle()
        let friend = try await circle.friend(3, "Grace")
        try await circle.network.block(friend)
        #expect(try await circle.network.contacts().isEmpty)
        try await circle.network.unblock(friend)
        #expect(try await circle.network.contacts().map(\.id) == [friend])
    }

    @Test("A mute ends at its time, or when it is removed") func muting() async throws {
        let circle = try await Circle()
        let friend = try await circle.friend(3, "Grace")
        let end = (circle.now + .minutes(60)).date
        try await circle.network.mute(friend, until: end)
        #expect(try await circle.network.muted().map(\.mutedUntil?.date) == [end])
        // A second mute without an end replaces the first.
        try await circle.network.mute(friend)
        circle.phone.clock.advance(by: .minutes(90))
        #expect(try await circle.network.muted().count == 1)
        try await circle.network.mute(friend, until: (circle.now + .minutes(5)).date)
        circle.phone.clock.advance(by: .minutes(5))
        #expect(try await circle.network.muted().isEmpty)
        try await circle.network.mute(friend)
        try await circle.network.unmute(friend)
        #expect(try await circle.network.contact(friend)?.mutedFrom == nil)
        #expect(await code { try await circle.network.mute(friend, until: circle.now.date) } == .invalid)
    }

    @Test("A profile is changed field by field: one mutation with what differs") func profile() async throws {
        let circle = try await Circle()
        try await circle.network.updateProfile {
            $0.given = "Ada"
            $0.phones = [.init("+41 44 668 18 00", label: "home")]
            $0.visibility[.phones] = .everyone
        }
        try await circle.phone.client.syncNow()
        // Another device writes another field, and this one has not heard of it.
        circle.phone.server.change {
            $0.write(.profiles, Profile.id, ["company": "Analytical"], in: circle.me.retyped(), at: circle.now)
        }
        try await circle.network.updateProfile { $0.status = "Busy" }
        try await circle.network.updateProfile { $0.status = "Here" }
        #expect(try circle.phone.mutations().map(\.change) == [.set(["status": "Here"])])
        try await circle.phone.client.syncNow()
        let profile = try await circle.network.profile()
        #expect(profile.company == "Analytical")
        #expect(profile.status == "Here")
        #expect(profile.phones == [.init("+41 44 668 18 00", label: "home")])
        #expect(profile.visibility(of: .phones) == .everyone)
        #expect(
            try await {
                try await circle.network.updateProfile { _ in }; return try await circle.phone.waiting()
            }() == 0)
        #expect(
            await code { try await circle.network.updateProfile { $0.status = String(repeating: "x", count: 201) } }
                == .invalid)
    }

    @Test("An email without proof can be stored in a write; a text that is no email is refused, and changes nothing")
    func claimedEmail() async throws {
        let circle = try await Circle()
        try await circle.phone.client.write { try $0.setClaimedEmail("ada@example.com") }
        #expect(await code { try await circle.network.setClaimedEmail("ada") } == .invalid)
        #expect(try await circle.network.profile().claimedEmail == "ada@example.com")
        try await circle.network.setClaimedEmail(nil)
        #expect(try await circle.network.profile().claimedEmail == nil)
    }

    @Test("Law 8: My profile and my network stay behind the account's wall") func scopes() async throws {
        let circle = try await Circle()
        try await circle.friend(3, "Grace")
        try await circle.network.block(ada)
        try await circle.network.updateProfile { $0.given = "Ada" }
        try await circle.phone.switchAccount()
        #expect(try await circle.network.contacts(in: .everyone).isEmpty)
        #expect(try await circle.network.profile() == Profile())
        #expect(try await circle.phone.waiting() == 0)
        try await circle.phone.client.session.select(.account(circle.me))
        #expect(try await circle.network.contacts().map(\.given) == ["Grace"])
        #expect(try await circle.network.profile().given == "Ada")
        #expect(try await circle.phone.waiting() == 2)
    }

    @Test("A deletion with a lost answer is completed by another request") func deletedBefore() async throws {
        let circle = try await Circle()
        try await circle.friend(3, "Grace")
        circle.people.change { $0.isClosed = true }
        try await circle.phone.client.session.deleteAccount(dropping: true)
        #expect(try await circle.phone.client.accounts.all().compactMap(\.account).isEmpty)
        #expect(try circle.phone.query("SELECT * FROM contact").isEmpty)
    }

    @Test("A deleted and dropped account leaves nothing on the device; one that could not be deleted leaves everything")
    func deletingAccount() async throws {
        let circle = try await Circle()
        try await circle.friend(3, "Grace")
        circle.people.change { $0.isAway = true }
        #expect(await code { try await circle.phone.client.session.deleteAccount(dropping: true) } == .offline)
        #expect(try await circle.network.contacts().count == 1)
        circle.people.change { $0.isAway = false }
        let deletion = try await circle.phone.client.session.deleteAccount(dropping: true)
        #expect(deletion.isDropped)
        #expect(deletion.store.people == 1)
        #expect(circle.phone.server.requests.contains { $0.method == "DELETE" && $0.path == "/v1/account" })
        #expect(try await circle.phone.client.session.state() == .loggedOut)
        #expect(try await circle.phone.client.accounts.all().compactMap(\.account).isEmpty)
        #expect(try circle.phone.credentials.token(for: circle.me) == nil)
        #expect(try circle.phone.query("SELECT * FROM contact").isEmpty)
        #expect(await code { try await circle.phone.client.session.deleteAccount() } == .unauthorized)
    }
}
