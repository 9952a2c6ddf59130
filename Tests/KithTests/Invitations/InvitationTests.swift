import Foundation
import KithModel
import Testing

import Kith

@Suite("Invitations on a device") struct InvitationTests {
    private let client: KithClient
    private let ben: Identity

    init() throws {
        let server = try #require(URL(string: "https://kith.example"))
        client = try KithClient(KithConfiguration(server: server, storage: .inMemory))
        ben = .email(try #require(EmailAddress("ben@example.com")))
    }

    private var invitations: Invitations { client.invitations }

    @Test("An invitation is made offline, and waits to be sent") func offline() async throws {
        let list = try await client.lists.create("Groceries")
        let made = try await invitations.invite(ben, to: .list(list.id, .viewer), text: "Come!", name: "Benny")
        let all = try await invitations.all()
        #expect(all == [made])
        #expect(made.direction == .sent && made.status == .pending && made.text == "Come!" && made.name == "Benny")
        #expect(made.purpose == .list(list.id, .viewer) && made.notified == nil)
        #expect(try await client.status().waiting == 2)
    }

    @Test("A recipient can be invited once for a purpose, and again after the invitation was revoked") func twice()
        async throws
    {
        let first = try await invitations.invite(ben)
        await #expect(throws: KithError.self) { try await invitations.invite(ben) }
        try await invitations.invite(ben, to: .join)
        try await invitations.revoke(first.id)
        #expect(try await invitations.invitation(first.id)?.status == .cancelled)
        try await invitations.invite(ben)
        try await invitations.resend(first.id)
        #expect(try await invitations.invitation(first.id)?.status == .pending)
    }

    @Test("Within a write, an invitation is as the write has left it so far; a removed or unknown one is none")
    func reading() async throws {
        let (made, revoked, removed, unknown) = try await client.write { [ben] changes in
            let id = try changes.invite(ben, text: "Come!").id
            let made = try changes.invitation(id)
            try changes.revoke(id)
            let revoked = try changes.invitation(id)
            try changes.remove(id)
            return (made, revoked, try changes.invitation(id), try changes.invitation(InvitationID(UUID())))
        }
        #expect(made?.recipient == ben && made?.text == "Come!" && made?.status == .pending)
        #expect(revoked?.id == made?.id && revoked?.status == .cancelled)
        #expect(removed == nil && unknown == nil)
        #expect(try await invitations.all().isEmpty)
    }

    @Test("Each of several recipients has a result; more than a hundred are refused") func many() async throws {
        let recipients = try (1...3).map { Identity.email(try #require(EmailAddress("p\($0)@example.com"))) }
        try await invitations.invite(recipients[1])
        let results = try await invitations.invite(recipients)
        #expect(results.map(\.recipient) == recipients)
        #expect(results.map { (try? $0.result.get()) != nil } == [true, false, true])
        let crowd = Array(repeating: ben, count: Limits.invitations + 1)
        await #expect(throws: KithError.self) { try await invitations.invite(crowd) }
        #expect(try await invitations.all().count == 3)
    }

    @Test("Only the owner of a list can invite to it") func foreignList() async throws {
        await #expect(throws: KithError.self) { try await invitations.invite(ben, to: .list(ListID(UUID()), .viewer)) }
    }

    @Test("A composed invitation contains a recipient, a subject and a text with a new link")
    func composing() async throws {
        try await client.network.updateProfile { ($0.given, $0.language) = ("Ada", "de") }
        let list = try await client.lists.create("Einkauf")
        let composed = try await invitations.compose(ben, to: .list(list.id, .editor), text: "Komm!")
        #expect(composed.recipient == "ben@example.com")
        #expect(composed.subject == "Ada lädt dich zur Liste „Einkauf“ ein")
        #expect(composed.text == "Komm!\n\n\(composed.link)")
        #expect(composed.link.hasPrefix("https://kith.example/v1/invitations/i"))
        #expect(composed.invitation.delivery == .device && composed.invitation.text == nil)
        let again = try await invitations.composeAgain(composed.invitation.id)
        #expect(again.link != composed.link)
        await #expect(throws: KithError.self) { try await invitations.resend(composed.invitation.id) }
        try await invitations.report(composed.invitation.id, wasSent: false)
        #expect(try await invitations.invitation(composed.invitation.id)?.status == .cancelled)
        try await invitations.report(composed.invitation.id, wasSent: true)
        #expect(try await invitations.invitation(composed.invitation.id)?.status == .pending)
    }

    @Test("A composed invitation that is accepted before the app reports it stays accepted") func reportedLate()
        async throws
    {
        let phone = try Phone(address: "https://kith.example")
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let invitation = try await phone.client.invitations.compose(ben).invitation
        try await phone.client.syncNow()
        let (id, now): (RecordID<Never>, Timestamp) = (invitation.id.retyped(), phone.clock.now)
        phone.server.change {
            $0.write(.invitations, id, ["state": "accepted"], in: account.retyped(), at: now)
        }
        try await phone.client.syncNow()
        try await phone.client.invitations.report(invitation.id, wasSent: true)
        #expect(try await phone.client.invitations.invitation(invitation.id)?.status == .accepted)
        #expect(try await phone.client.status().waiting == 0)
        await #expect(throws: KithError.self) {
            try await phone.client.invitations.report(invitation.id, wasSent: false)
        }
    }

    @Test("The device's clock does not decide whether an invitation has expired: the server's does") func wrongClock()
        async throws
    {
        let (server, folder) = (FakeServer(), TemporaryFolder())
        let ahead = Clock(server.clock.now + .days(30))
        let phone = try Phone(server, file: folder.replica, clock: ahead)
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        let (valid, expired, now) = (InvitationID(UUID()), InvitationID(UUID()), server.clock.now)
        server.change { world in
            for (id, expires) in [(valid, now + .days(1)), (expired, now - .days(1))] {
                let inviter = UUID().uuidString.lowercased()
                let fields: Fields = [
                    "purpose": "connect", "inviter": .text(inviter), "expires": .integer(expires.milliseconds),
                ]
                world.write(.invitations, id.retyped(), fields, in: account.retyped(), at: now)
            }
        }
        try await phone.client.syncNow()
        #expect(try await phone.client.invitations.pending().map(\.id) == [valid])
        try await phone.client.invitations.accept(valid)
        #expect(await code { try await phone.client.invitations.accept(expired) } == .tooLate)
        // After a restart, the server's time is unknown until the first answer.
        let restarted = try Phone(server, file: folder.replica, clock: ahead, seed: 2)
        try await restarted.client.invitations.accept(expired)
        #expect(try await restarted.client.invitations.invitation(expired)?.status == .accepted)
    }

    @Test("Trap: The device's clock is ahead – somebody with an open invitation is not invited twice")
    func invitedByWrongClock() async throws {
        let server = FakeServer()
        let now = server.clock.now
        let phone = try Phone(server, clock: Clock(now + .days(30)))
        try await phone.client.syncNow()
        let (account, id) = (try present(await phone.client.session.account()), InvitationID(UUID()))
        let fields: Fields = [
            "purpose": "connect", "recipient": .text(ben.text), "expires": .integer((now + .days(1)).milliseconds),
        ]
        server.change { $0.write(.invitations, id.retyped(), fields, in: account.retyped(), at: now) }
        try await phone.client.syncNow()
        #expect(await code { _ = try await phone.client.invitations.invite(ben, to: .connect) } == .alreadyInvited)
    }

    @Test("A message to a number has no subject") func numberSubject() async throws {
        let number = Identity.phone(try #require(E164("+436641234567")))
        #expect(try await invitations.compose(number).subject.isEmpty)
    }

    @Test("An accepted invitation without a recipient is shown, and a sent one without is not readable")
    func noRecipient() {
        let now = Timestamp(milliseconds: 0)
        var fields: Fields = ["purpose": "connect", "inviter": .text(UUID().uuidString.lowercased())]
        let received = Invitation(id: InvitationID(UUID()), fields, modified: now)
        #expect(received?.direction == .received && received?.recipient == nil && received?.shownName == "")
        fields["inviter"] = nil
        #expect(Invitation(id: InvitationID(UUID()), fields, modified: now) == nil)
    }

    @Test("Observers receive the current invitations, then each change once") func changes() async throws {
        let first = try await invitations.invite(ben)
        var changes = invitations.changes().makeAsyncIterator()
        #expect(await changes.next()?.added == [first])
        try await invitations.setText("New", of: first.id)
        let changed = await changes.next()
        #expect(changed?.modified.map(\.text) == ["New"] && changed?.origin == .device)
        try await invitations.remove(first.id)
        #expect(await changes.next()?.removed.map(\.id) == [first.id])
    }

    @Test(
        "A proposal is in the first language that has one",
        arguments: [
            (["de-AT", "en"], "Ich möchte"), (["pt", "fr"], "J’aimerais"), (["es"], "Me gustaría"), (["ja"], "I would"),
            ([], "I would"),
        ])
    func proposals(languages: [String], start: String) async throws {
        #expect(try await invitations.proposedText(in: languages).hasPrefix(start))
    }

    @Test("A reason that the device does not know is kept, with its detail") func unknownReason() {
        let fields: Fields = [
            "recipient": "mailto:ben@example.com", "purpose": "connect", "state": "failed", "reason": "new",
            "detail": "x",
        ]
        let invitation = Invitation(id: InvitationID(UUID()), fields, modified: Timestamp(milliseconds: 0))
        #expect(invitation?.failure == MessageFailure(.init(rawValue: "new"), detail: "x"))
        #expect(Invitation(id: InvitationID(UUID()), ["recipient": "x"], modified: Timestamp(milliseconds: 0)) == nil)
    }
}
