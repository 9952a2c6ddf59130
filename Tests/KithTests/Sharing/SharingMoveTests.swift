import Foundation
import Kith
import KithModel
import Testing

@Suite("Unsent records of sharing that move to another account") struct SharingMoveTests {
    private let server = FakeServer()
    private let phone: Phone

    init() throws { phone = try Phone(server) }

    private var sharing: Sharing { phone.client.sharing }

    private func email(_ name: String) throws -> Identity {
        .email(try #require(EmailAddress("\(name)@example.com")))
    }

    /// The server no longer knows the session, so a new account replaces the present one.
    private func replaceAccount() async throws -> AccountID {
        server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        return try present(await phone.client.session.account())
    }

    @Test("Law 2: What a refused anonymous account has not sent is sent by the new one, with the codes that were shown")
    func replaced() async throws {
        // A list makes the server keep something of the account, so that its store stays.
        try await phone.lists.create("Groceries")
        try await phone.client.syncNow()
        let first = try present(await phone.client.session.account())
        let mine = try await sharing.shareable(in: "friends")
        let sheet = try await sharing.share(mine.id, by: .sheet)
        let mail = try await sharing.email(mine.id, to: email("ben"), message: "Come!")
        let claim = try await sharing.use(code: "BEN-TEA")
        try await sharing.record(event: "order", in: "friends")
        let second = try await replaceAccount()
        #expect(second != first)
        #expect(server.records(of: second, .shareables)[mine.id.retyped()]?["code"] == .text(mine.code.text))
        #expect(Set(server.records(of: second, .shares).keys) == [sheet.id.retyped(), mail.id.retyped()])
        #expect(server.records(of: second, .claims)[claim.id.retyped()]?["code"] == "BEN-TEA")
        #expect(server.records(of: second, .events).values.compactMap { $0["name"]?.text } == ["order"])
        #expect(try await sharing.shareable(in: "friends").id == mine.id)
        #expect(try await phone.client.accounts.store(.account(first))?.waiting == 0)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A code of somebody else that was chosen before the move is refused alone, and the shares are sent")
    func takenCode() async throws {
        try await phone.lists.create("Groceries")
        try await phone.client.syncNow()
        let taken = try ShareCode("ADA-TEA")
        server.change { $0.takenCodes = [taken] }
        let mine = try await sharing.shareable(in: "friends")
        let sheet = try await sharing.share(mine.id, by: .sheet)
        try await sharing.setCode("Ada-Tea", of: mine.id)
        let second = try await replaceAccount()
        #expect(server.records(of: second, .shareables)[mine.id.retyped()]?["code"] == .text(mine.code.text))
        #expect(server.records(of: second, .shares).keys.map { $0 } == [sheet.id.retyped()])
        #expect(try await phone.client.rejections().map(\.code) == [.codeTaken])
        #expect(try await sharing.shareable(mine.id)?.code == mine.code)
    }

    @Test("A code that the server has stays with its account; unsent emails go with the link of the new one")
    func codeStays() async throws {
        let mine = try await sharing.shareable(in: "friends", key: "recipe-7")
        try await sharing.update(mine.id, label: "For friends")
        try await phone.client.syncNow()
        let first = try present(await phone.client.session.account())
        let mail = try await sharing.email(mine.id, to: email("ben"))
        try await sharing.share(mine.id, by: .sheet)
        let second = try await replaceAccount()
        let other = try #require(try await sharing.shareables().first)
        #expect(try await sharing.shareables().count == 1)
        #expect(other.id != mine.id && other.code != mine.code)
        #expect(other.key == "recipe-7" && other.label == "For friends")
        #expect(server.records(of: first, .shareables).keys.map { $0 } == [mine.id.retyped()])
        #expect(server.records(of: second, .shares)[mail.id.retyped()]?["shareable"] == .text(other.id.description))
        #expect(server.records(of: second, .shares).count == 1, "The old link was shared with the sheet.")
        #expect(try await phone.client.accounts.store(.account(first))?.waiting == 1)
    }

    @Test("An email that the server may have taken is not sent a second time by another account") func maybeSent()
        async throws
    {
        try await phone.client.syncNow()
        let mine = try await sharing.shareable(in: "friends")
        try await sharing.email(mine.id, to: email("ben"))
        try await sharing.record(event: "order", in: "friends")
        let claim = try await sharing.use(code: "BEN-TEA")
        server.wire.meanwhile = { _ in throw KithError(.offline, "The answer is lost.") }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        server.mend()
        let second = try await replaceAccount()
        #expect(server.records(of: second, .shares).isEmpty && server.records(of: second, .events).isEmpty)
        #expect(
            server.records(of: second, .shareables).isEmpty, "The server may have given the code to the old account.")
        let moved = try #require(try await sharing.claims().first)
        #expect(moved.code == claim.code && moved.id != claim.id)
        #expect(try await sharing.shareable(in: "friends").code != mine.code)
    }

    @Test("A decision to move adds the shareable behind that of the account, and its code goes along") func decided()
        async throws
    {
        let ada = try Phone(server, seed: 77)
        let own = try await ada.client.sharing.shareable(in: "friends")
        try await ada.client.sharing.use(code: "BEN-TEA")
        try await ada.client.syncNow()
        let account = try present(await ada.client.session.account())
        let identity = try email("ada")
        server.change { $0.identities[identity] = account }
        // The clock of this device is behind, so its identities come before those of the other device.
        let phone = try Phone(server, clock: Clock(server.clock.now - .minutes(1)))
        let sharing = phone.client.sharing
        try await phone.client.syncNow()
        let before = AccountScope.account(try present(await phone.client.session.account()))
        let mine = try await sharing.shareable(in: "friends")
        #expect(mine.id < own.id)
        let mail = try await sharing.email(mine.id, to: email("emil"))
        try await sharing.use(code: "BEN-TEA")
        try await sharing.use(code: "CLEO-TEA")
        let sent = try await phone.client.signIn.requestCode(for: identity)
        _ = try await phone.client.signIn.check(World.code, of: sent)
        try await phone.client.syncNow()
        #expect(try await sharing.shareable(in: "friends").id == own.id, "The store of the former account is hidden.")
        try await phone.client.accounts.decide(.move, about: before)
        try await phone.client.syncNow()
        #expect(try await sharing.shareable(in: "friends").id == own.id)
        let codes = Set(server.records(of: account, .shareables).values.compactMap { $0["code"]?.text })
        #expect(codes == [own.code.text, mine.code.text])
        let share = try #require(try await sharing.share(mail.id))
        #expect(try await sharing.shareable(share.shareable)?.code == mine.code)
        #expect(try await Set(sharing.claims().map(\.code.text)) == ["BEN-TEA", "CLEO-TEA"])
        #expect(try await phone.client.rejections().isEmpty)
    }
}
