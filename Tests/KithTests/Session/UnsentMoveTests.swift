import Foundation
import Kith
import KithModel
import Testing

@Suite("Unsent edits that move to another account") struct UnsentMoveTests {
    private let ben = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_00B1))
    private let cleo = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_00C1))
    private let dora = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_00D1))
    private let server = FakeServer()
    private let pictures = Kept<[String]>([])

    private static func identity(_ name: String) throws -> Identity {
        .email(try #require(EmailAddress("\(name)@example.com")))
    }

    private func phone(_ phone: Phone) -> Phone {
        let (pictures, server) = (pictures, server)
        server.wire.instead = { request in
            guard request.path.hasPrefix("/v1/pictures/") else { return nil }
            guard server.change({ $0.tokens[request.token ?? ""] }) != nil else {
                return TransportResponse(
                    status: 401, body: FakeServer.problem(401, .tokenInvalid, "The token is unknown."))
            }
            pictures.change { $0.append(String(request.path.dropFirst("/v1/pictures/".count))) }
            return TransportResponse(status: 204, body: Data())
        }
        return phone
    }

    @Test("Law 2: Requests, blocks, the picture and invitations of a refused anonymous account are sent by the new one")
    func replaced() async throws {
        let (phone, list) = try await Phone.withList(server)
        let client = self.phone(phone).client
        let first = try #require(try await client.session.account())
        server.change {
            $0.write(.contacts, dora.retyped(), ["asked": 1], in: first.retyped(), at: server.clock.now)
        }
        try await client.syncNow()
        try await client.network.connect(ben)
        try await client.network.block(cleo)
        try await client.network.mute(cleo)
        try await client.network.accept(dora)
        try await client.network.setPicture(small: png(1), large: png(2))
        try await client.network.updateProfile { $0.given = "Ada" }
        try await phone.lists.add("Tea", to: list)
        try await client.invitations.invite(Self.identity("emil"), to: .join, text: "Come!")
        try await client.invitations.invite(Self.identity("fred"), to: .list(list, .editor))
        server.change { $0.tokens = [:] }
        try await client.syncNow()
        let second = try #require(try await client.session.account())
        #expect(second != first)
        let contacts = server.records(of: second, .contacts)
        #expect(contacts[ben.retyped()]?["wish"] == "connect" && contacts[dora.retyped()]?["wish"] == "connect")
        #expect(contacts[cleo.retyped()]?["isBlocked"] == true && contacts[cleo.retyped()]?["mutedFrom"] != nil)
        let profile = server.records(of: second, .profiles).values.first
        #expect(profile?["given"] == "Ada" && profile?["pictureSmall"] == hash(png(1)))
        #expect(pictures.value.count == 2, "Both sizes were sent with the new token.")
        let copy = try #require(try await phone.lists.all().first)
        #expect(copy.id != list)
        let invitations = server.records(of: second, .invitations).values
        let recipients = Set(invitations.compactMap { $0["recipient"]?.text })
        #expect(recipients == ["mailto:emil@example.com", "mailto:fred@example.com"])
        #expect(invitations.compactMap { $0["list"]?.text } == [copy.id.description])
        // Nothing waits or is shown in the store of the account that is over.
        let store = try #require(try await client.accounts.store(.account(first)))
        #expect(store.waiting == 0 && store.lists == 0 && store.people == 1)
        #expect(try await client.status().waiting == 0)
        #expect(try await client.rejections().isEmpty)
    }

    @Test("Law 2: What means nothing without the refused account stays in its store, and is named")
    func stays() async throws {
        let (phone, list) = try await Phone.withList(server)
        let client = phone.client
        let first = try #require(try await client.session.account())
        server.change { world in
            world.write(.contacts, dora.retyped(), ["asked": 1], in: first.retyped(), at: server.clock.now)
            world.share(list, with: ben, as: .editor, at: server.clock.now)
            world.write(.lists, list.retyped(), ["access": "shared"], in: list.retyped(), at: server.clock.now)
        }
        try await client.syncNow()
        try await client.network.decline(dora)
        try await phone.lists.add("Tea", to: list)
        try await client.invitations.invite(Self.identity("fred"), to: .list(list, .editor))
        server.change { $0.tokens = [:] }
        var hidden = client.accounts.hidden().makeAsyncIterator()
        try await client.syncNow()
        let told = await hidden.next()
        #expect(told?.stores.map(\.scope) == [.account(first)] && told?.waiting == 3 && told?.lists == 1)
        #expect(try await phone.lists.items(in: list, within: .account(first)).map(\.title) == ["Tea"])
        let second = try #require(try await client.session.account())
        #expect(server.records(of: second, .contacts).isEmpty && server.records(of: second, .invitations).isEmpty)
    }

    @Test("Law 2: The answer to a first round is lost and the token refused: the lists go on under new identities")
    func lostAnswer() async throws {
        let phone = try Phone(server)
        try await phone.client.syncNow()
        let first = AccountScope.account(try #require(try await phone.client.session.account()))
        let lists = [try await phone.lists.create("Groceries").id, try await phone.lists.create("Trip").id]
        for list in lists { try await phone.lists.add("Tea", to: list) }
        let invitation = try await phone.client.invitations.invite(Self.identity("emil"), to: .list(lists[1], .viewer))
        server.wire.meanwhile = { _ in throw KithError(.offline, "The answer is lost.") }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        server.mend()
        // A later edit is sent for the first time by the refused round.
        let last = try await phone.lists.create("Later").id
        server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        let shown = try await phone.lists.all()
        #expect(Set(shown.map(\.name)) == ["Groceries", "Trip", "Later"])
        #expect(Set(shown.map(\.id)).isDisjoint(with: lists) && shown.contains { $0.id == last })
        for list in shown where list.id != last {
            #expect(server.change { $0.titles(in: list.id) } == ["Tea"], "\(list.name)")
        }
        let trip = try #require(shown.first { $0.name == "Trip" })
        let invitations = try await phone.client.invitations.all()
        #expect(invitations.map(\.purpose) == [.list(trip.id, .viewer)] && invitations.first?.id != invitation.id)
        #expect(try await phone.client.accounts.store(first)?.waiting == 0, "Nobody can sign in to it again.")
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.waiting() == 0)
    }

    @Test("A decision to move takes along unsent invitations, requests and blocks, and leaves the profile")
    func decided() async throws {
        let (other, _) = try await Phone.withList(server, seed: 77)
        let account = try #require(try await other.client.session.account())
        let email = try Self.identity("ada")
        server.change { world in
            world.identities[email] = account
            world.write(.profiles, account.retyped(), ["given": "Ada"], in: account.retyped(), at: server.clock.now)
        }
        let phone = try Phone(server)
        let client = phone.client
        try await client.syncNow()
        let before = AccountScope.account(try #require(try await client.session.account()))
        let list = try await phone.lists.create("Mine").id
        try await client.invitations.invite(Self.identity("emil"), to: .list(list, .viewer))
        try await client.network.connect(ben)
        try await client.network.connect(account)
        try await client.network.block(cleo)
        try await client.network.setName("Nobody")
        let sent = try await client.signIn.requestCode(for: email)
        _ = try await client.signIn.check(World.code, of: sent)
        try await client.syncNow()
        var changes = client.invitations.changes().makeAsyncIterator()
        _ = await changes.next()
        let moved = try await client.accounts.decide(.move, about: before)
        #expect(await changes.next()?.added.count == 1, "Observers hear of it.")
        try await client.syncNow()
        let new = try #require(moved[list])
        #expect(server.records(of: account, .invitations).values.compactMap { $0["list"]?.text } == [new.description])
        let contacts = server.records(of: account, .contacts)
        #expect(contacts[ben.retyped()]?["wish"] == "connect" && contacts[cleo.retyped()]?["isBlocked"] == true)
        #expect(contacts.count == 2, "Nobody asks themselves.")
        #expect(server.records(of: account, .profiles).values.first?["given"] == "Ada")
        #expect(try await client.accounts.store(before)?.waiting == 2, "The request to oneself, and the name.")
        #expect(try await client.rejections().isEmpty)
    }

    @Test("Law 1: What is in flight takes effect once, although other edits of the same request have moved")
    func inFlight() async throws {
        let (phone, list, item) = try await Phone.withItem()
        let (client, server) = (phone.client, phone.server)
        let first = AccountScope.account(try #require(try await client.session.account()))
        try await phone.lists.increase(item.id, by: 1)
        try await client.network.block(cleo)
        let request = try #require(try phone.rounds.begin())
        #expect(request.mutations.count == 2)
        let answer = server.answer(request)
        let second = try await phone.switchAccount()
        #expect(try phone.rounds.finish(request, answer) == .stale)
        try await client.accounts.decide(.move, about: first, lists: [])
        try await client.syncNow()
        #expect(server.records(of: second, .contacts)[cleo.retyped()]?["isBlocked"] == true)
        #expect(try await client.accounts.store(first)?.waiting == 2, "The server may have both.")
        try await client.session.select(first)
        try await client.syncNow()
        #expect(server.change { $0.fields(item.id, in: list) }?["count"] == 2)
        #expect(try await phone.lists.item(item.id)?.count == 2)
        #expect(try await phone.waiting() == 0)
        #expect(try await client.rejections().isEmpty)
    }

    @Test("Law 8: A sign-in that was interrupted at its end leaves no session that a later sign-in would use")
    func interrupted() async throws {
        let phone = try Phone(server)
        try await phone.client.syncNow()
        try await phone.client.session.logOut()
        let sent = try await phone.client.signIn.requestCode(for: Self.identity("ada"))
        let temporary = try #require(try phone.credentials.secret(for: .signIn))
        let ada = try await phone.client.signIn.check(World.code, of: sent).account
        // The device was stopped before it forgot the temporary session.
        try phone.credentials.save(temporary, for: .signIn)
        try await phone.client.session.select(.userless)
        let other = try await phone.client.signIn.requestCode(for: Self.identity("ben"))
        let ben = try await phone.client.signIn.check(World.code, of: other).account
        #expect(ben != ada, "Ben's email does not go to Ada's account.")
    }
}
