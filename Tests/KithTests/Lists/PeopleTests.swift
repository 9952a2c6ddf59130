import Foundation
import Kith
import KithModel
import Testing

@Suite("People in a list") struct PeopleTests {
    @Test("A viewer's edits are refused on the device, before they are written") func viewer() async throws {
        let (owner, list, item) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .viewer)
        let seen = try #require(try await guest.lists.list(list))
        #expect(seen.role == .viewer)
        #expect(await code { try await guest.lists.add("Tea", to: list) } == .forbidden)
        #expect(await code { try await guest.lists.setTicked(item.id, true) } == .forbidden)
        #expect(await code { try await guest.lists.remove(item.id) } == .forbidden)
        #expect(await code { try await guest.lists.update(with(seen) { $0.name = "Mine" }) } == .forbidden)
        #expect(await code { try await guest.lists.remove(list) } == .forbidden)
        #expect(try await guest.waiting() == 0)
    }

    @Test("An editor changes the list and its items, and leaves people and the list itself to the owner")
    func editor() async throws {
        let (owner, list) = try await Phone.withList()
        let guest = try await shared(owner, list, as: .editor)
        let ada = try #require(try await owner.client.session.account())
        try await guest.lists.add("Tea", to: list)
        try await guest.lists.update(with(try #require(try await guest.lists.list(list))) { $0.name = "Ours" })
        #expect(await code { try await guest.lists.remove(list) } == .forbidden)
        #expect(await code { try await guest.lists.setRole(.viewer, of: ada, in: list) } == .forbidden)
        #expect(await code { try await guest.lists.removeMember(ada, from: list) } == .forbidden)
        try await guest.client.syncNow()
        try await owner.client.syncNow()
        #expect(try await owner.lists.list(list)?.name == "Ours")
        #expect(try await owner.titles(in: list) == ["Tea"])
        #expect(try await guest.client.rejections().isEmpty)
    }

    @Test("Trap: The owner's own share is pushed or deleted") func ownShare() async throws {
        let (owner, list) = try await Phone.withList()
        let me = try #require(try await owner.client.session.account())
        #expect(await code { try await owner.lists.setRole(.viewer, of: me, in: list) } == .forbidden)
        #expect(await code { try await owner.lists.removeMember(me, from: list) } == .forbidden)
        #expect(await code { try await owner.lists.leave(list) } == .forbidden)
        #expect(try await owner.waiting() == 0)
        #expect(try await owner.lists.list(list)?.role == .owner)
    }

    @Test("The owner sets roles and removes people, even offline") func roles() async throws {
        let (owner, list) = try await Phone.withList()
        let guest = try await shared(owner, list, as: .viewer)
        let grace = try #require(try await guest.client.session.account())
        try await owner.client.syncNow()
        #expect(try await owner.lists.members(of: list).count == 2)
        try await owner.lists.setRole(.editor, of: grace, in: list)
        #expect(try await owner.lists.members(of: list).first { $0.id == grace }?.role == .editor)
        try await owner.lists.removeMember(grace, from: list)
        #expect(try await owner.lists.members(of: list).map(\.role) == [.owner])
        try await owner.client.syncNow()
        try await guest.client.syncNow()
        #expect(try await guest.lists.all().isEmpty)
        #expect(await code { try await owner.lists.setRole(.editor, of: AccountID(UUID()), in: list) } == .notFound)
    }

    @Test("Handing a list over makes someone else its owner") func handOver() async throws {
        let (owner, list) = try await Phone.withList()
        let guest = try await shared(owner, list, as: .editor)
        let grace = try #require(try await guest.client.session.account())
        try await owner.client.syncNow()
        try await owner.lists.handOver(list, to: grace)
        let sent = try owner.mutations()
        #expect(sent.map(\.collection) == [.members])
        #expect(sent.map(\.change) == [.set(["role": "owner"])])
    }

    @Test("A person who leaves a list does not see it any more, at once and permanently") func leave() async throws {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        try await guest.lists.leave(list)
        #expect(try await guest.lists.all().isEmpty)
        #expect(try await guest.titles(in: list).isEmpty)
        try await guest.client.syncNow()
        #expect(try await guest.lists.all().isEmpty)
        #expect(try guest.query("SELECT * FROM item").isEmpty)
        #expect(try await guest.client.rejections().isEmpty)
        #expect(owner.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("I can set my name in a list once its people are known") func myName() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        #expect(await code { try await phone.lists.setMyName("Ada", in: list) } == .unauthorized)
        try await phone.client.syncNow()
        try await phone.lists.setMyName("Ada", in: list)
        #expect(try await phone.lists.members(of: list).map(\.name) == ["Ada"])
        try await phone.client.syncNow()
        #expect(try await phone.lists.members(of: list).map(\.name) == ["Ada"])
        #expect(
            await code { try await phone.lists.setMyName(String(repeating: "x", count: 101), in: list) } == .invalid)
        let unknown = ListID(UUID())
        #expect(await code { try await phone.lists.setMyName("Ada", in: unknown) } == .notFound)
        #expect(await code { try await phone.lists.setMyName(nil, in: unknown) } == .notFound)
    }

    @Test(
        "Trap: An email in a path is not escaped – only valid characters of a link's secret reach a path",
        arguments: [
            "https://kith.example/l/abc-DEF_123?x=1#y", "abc-DEF_123", "kith.example/l/abc-DEF_123/",
            " abc-DEF_123%0d ",
        ])
    func secrets(link: String) async throws {
        let phone = try Phone()
        #expect(await code { _ = try await phone.lists.preview(link: link) } == .notFound)
        let path = try #require(phone.server.requests.last?.path)
        #expect(path == "/v1/links/abc-DEF_123" || path == "/v1/links/abc-DEF_1230d")
        #expect(await code { _ = try await phone.lists.preview(link: "https://x/../../sessions?a@b.c") } == .notFound)
        #expect(phone.server.requests.last?.path == "/v1/links/sessions")
    }

    @Test("Creating a link sends waiting edits first, so that the server knows the list") func invite() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        #expect(await code { _ = try await phone.lists.invite(to: list, as: .editor) } == .notFound)
        #expect(phone.server.change { $0.fields(list, in: list) } != nil)
        #expect(phone.server.requests.last?.path == "/v1/lists/\(list)/links")
    }
}
