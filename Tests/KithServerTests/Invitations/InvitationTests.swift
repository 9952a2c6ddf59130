import Foundation
import KithModel
import KithServer
import Testing

@Suite("Invitations on the server") struct InvitationTests {
    private let world: InvitationWorld
    private var ada: Phone
    private var ben: Phone
    private let email = "mailto:ben@example.com"
    private let list: FeedID

    init() throws { (world, ada, ben, list) = try InvitationWorld.withList() }

    private var town: Town { world.town }

    /// Ada invites Ben, who has proved his email.
    private mutating func invite(_ purpose: Invitation.Purpose = .connect, _ more: Fields = [:]) throws {
        try world.prove(email, by: ben)
        #expect(try ada.outcomes(ada.invite(email, purpose, more)) == ["applied"])
        try hear()
    }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    private mutating func accept() throws {
        #expect(try ben.outcomes(ben.answer(ben.invitation(), .accept)) == ["applied"])
        try hear()
    }

    // MARK: Sending

    @Test("The message that goes out has the text that the user edited, the name and a link") mutating func text()
        throws
    {
        let text = "Liebe Grüße,\nand “quotes” <b>"
        try ada.sync(ada.invite(email, .list(list.retyped(), .editor), ["text": .text(text), "language": "de-AT"]))
        #expect(try world.messages().isEmpty, "The round does not send anything.")
        try hear()
        let message = try #require(try world.messages().first)
        #expect(message.contains(text) && message.contains("Ada lädt dich") && message.contains("„Groceries“"))
        #expect(try world.lastSecret().count >= 40)
        let sent = try ada.invitation()
        #expect(sent.status == .pending && sent.notified == town.now && sent.listName == "Groceries")
        #expect(sent.expires == town.now + Limits.invitation && sent.peer == nil)
    }

    @Test("A second device of the inviter sees each step, and sends nothing again") mutating func devices() throws {
        var tablet = Phone(town, account: ada.account)
        try invite()
        try tablet.sync()
        #expect(try tablet.invitation() == ada.invitation())
        try accept()
        try tablet.sync()
        #expect(try tablet.invitation().status == .accepted)
        #expect(try world.messages().count == 1)
    }

    @Test("A person who proves the email later receives the invitation then") mutating func later() throws {
        try ada.sync(ada.invite(email))
        try hear()
        #expect(ben.invitations.isEmpty)
        town.pass(.days(2))
        try world.prove(email, by: ben)
        try hear()
        let received = try ben.invitation()
        #expect(received.direction == .received && received.status == .pending)
        #expect(received.peer == ada.account && received.peerName == "Ada")
        #expect(try received.id != ada.invitation().id)
    }

    @Test("The inviter’s record is the same whether or not the recipient has an account") mutating func silence() throws
    {
        try world.prove(email, by: ben)
        try ada.sync(ada.invite(email), ada.invite("mailto:nobody@example.com"))
        let before = try town.row(ada.home)?.sequence
        try hear()
        #expect(try town.row(ada.home)?.sequence == (before ?? 0) + 2)
        var fields = ada.invitations.map { ada.fields(ada.home, $0.id.retyped()) ?? [:] }
        for index in fields.indices { fields[index]["recipient"] = nil }
        #expect(fields[0] == fields[1])
        #expect(try world.messages().count == 2)
        #expect(ben.invitations.count == 1)
    }

    @Test("An SMS is sent only if the server sends SMS to the number; else the app can send it itself")
    func sms() throws {
        for sendsSMS in [false, true] {
            let world = try InvitationWorld(sendsSMS: sendsSMS)
            var ada = try world.person("Ada")
            try ada.sync(ada.invite("tel:+436641234567", .connect, ["text": "Come!"]))
            try world.work()
            try ada.sync()
            #expect(try ada.invitation().status == (sendsSMS ? .pending : .failed))
            #expect(try ada.invitation().failure?.reason == (sendsSMS ? nil : .unsupported))
            #expect(try world.messages().map { $0.hasPrefix("Come!\nhttps://") } == (sendsSMS ? [true] : []))
        }
    }

    // MARK: Accepting

    @Test("Accepting connects the two and joins the list with the role; repeating it has no further effect")
    mutating func accepting() throws {
        var tablet = Phone(town, account: ben.account)
        try invite(.list(list.retyped(), .editor))
        try tablet.sync()
        try accept()
        #expect([ada.relation(to: ben), ben.relation(to: ada)] == ["connected", "connected"])
        #expect(try town.role(ben.account, list) == .editor)
        #expect(try ada.invitation().status == .accepted && ada.invitation().peer == ben.account)
        #expect(try ada.invitation().peerName == "Ben")
        #expect(ben.fields(list, list.retyped())?["name"] == "Groceries")
        let before = try town.everything()
        // The tablet has not heard of it, and accepts too. So does a copy of the link.
        #expect(try tablet.outcomes(tablet.answer(tablet.invitation(), .accept)) == ["applied"])
        try world.work()
        let after = try town.everything()
        #expect(after[2] == before[2], "The access is the same.")
        #expect(try tablet.invitation().status == .accepted)
    }

    @Test("Accepting an invitation to the service notifies the inviter, and connects nobody") mutating func joining()
        throws
    {
        try invite(.join)
        try accept()
        #expect(ada.relation(to: ben) == "nothing")
        #expect(try ada.invitation().status == .accepted)
    }

    @Test(
        "“Ben has joined” is sent to an inviter with an email, unless that is switched off", arguments: [true, false])
    mutating func joined(isTold: Bool) throws {
        try world.prove("mailto:ada@example.com", by: ada)
        if !isTold { try ada.sync(ada.profile(["isNotifiedOfJoins": false])) }
        try invite()
        try accept()
        #expect(try world.messages(.joined).map { $0.contains("Ben") } == (isTold ? [true] : []))
    }

    @Test("Accepting never lowers a role") mutating func role() throws {
        try town.join(ben, list, of: ada, as: .editor)
        try invite(.list(list.retyped(), .viewer))
        try accept()
        #expect(try town.role(ben.account, list) == .editor)
    }

    @Test("If there is no room, the invitation becomes open again with the reason, and can be accepted later")
    mutating func full() throws {
        try invite(.list(list.retyped(), .viewer))
        try town.fillLists(of: ben.account)
        try accept()
        #expect(try ben.invitation().status == .pending && ben.invitation().failure?.reason == .full)
        #expect(try ada.invitation().status == .pending && ada.invitation().failure == nil)
        try town.execute("DELETE FROM access WHERE account = ? AND feed <> ?", [.id(ben.account), .id(ben.account)])
        try accept()
        #expect(try town.role(ben.account, list) == .viewer)
        #expect(try ben.invitation().failure == nil)
    }

    @Test("Accepting an invitation from somebody I have blocked says so, and works once they are unblocked")
    mutating func blockedByMe() throws {
        try invite()
        try ben.sync(ben.contact(ada, ["isBlocked": true]))
        try accept()
        #expect(try ben.invitation().status == .pending && ben.invitation().failure?.reason == .blocked)
        #expect(try ada.invitation().status == .pending && ada.invitation().failure == nil)
        try ben.sync(ben.contact(ada, ["isBlocked": false]))
        try accept()
        #expect(try ben.invitation().status == .accepted && ben.invitation().failure == nil)
    }

    // MARK: Declining and deleting

    @Test("Declined and deleted stay pending for the inviter; sent again, it reaches the recipient only after a week")
    mutating func declining() throws {
        try invite()
        #expect(try ben.outcomes(ben.answer(ben.invitation(), .decline)) == ["applied"])
        try hear()
        #expect(try ben.invitation().status == .declined && ada.invitation().status == .pending)
        town.pass(.days(1))
        #expect(try ada.outcomes(ada.resend(ada.invitation())) == ["applied"])
        try hear()
        #expect(try ada.invitation().notified == town.now, "The inviter cannot tell.")
        #expect(try ben.invitation().status == .declined)
        #expect(try world.messages().count == 1)
        town.pass(.days(7))
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ben.invitation().status == .pending)
        #expect(try world.messages().count == 2)

        try ben.sync(ben.delete(ben.invitation()))
        try hear()
        town.pass(.days(1))
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ben.invitations.isEmpty && ada.invitation().status == .pending)
    }

    @Test("A declined invitation can still be accepted") mutating func declinedThenAccepted() throws {
        try invite()
        try ben.sync(ben.answer(ben.invitation(), .decline))
        try hear()
        try accept()
        #expect(ada.relation(to: ben) == "connected")
    }

    // MARK: Sending again

    @Test("Sent again at the earliest after an hour; an accepted one never; revoked and failed ones are open again")
    mutating func resending() throws {
        try invite()
        #expect(try ada.outcomes(ada.resend(ada.invitation())) == ["tooSoon"])
        town.pass(Limits.resend)
        #expect(try ada.outcomes(ada.resend(ada.invitation())) == ["applied"])
        try hear()
        #expect(try world.messages().count == 2)

        #expect(try ada.outcomes(ada.edit(ada.invitation(), ["isRevoked": true])) == ["applied"])
        try hear()
        #expect(try ada.invitation().status == .cancelled)
        #expect(ben.invitations.isEmpty)
        town.pass(Limits.resend)
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ada.invitation().status == .pending && ben.invitation().status == .pending)

        try world.bounce()
        try hear()
        let failed = try ada.invitation()
        #expect(failed.status == .failed && failed.failure?.reason == .refused)
        #expect(failed.failure?.detail == "550 no such user")
        town.pass(Limits.resend)
        try ada.sync(ada.resend(failed))
        #expect(try ada.invitation().status == .pending && ada.invitation().failure == nil)
        try hear()
        try accept()
        town.pass(.days(8))
        #expect(try ada.outcomes(ada.resend(ada.invitation())) == ["alreadyAccepted"])
    }

    @Test("A bounce of an earlier message, or after the acceptance, changes nothing") mutating func lateBounce() throws
    {
        try invite()
        try accept()
        try world.bounce()
        try hear()
        #expect(try ada.invitation().status == .accepted)
    }

    @Test("A bounce whose transaction has read the invitation before it was accepted changes nothing either")
    mutating func racingBounce() throws {
        try invite()
        try accept()
        // As it was read before the inviter's feed was waited for.
        try town.execute("UPDATE invitation SET state = 'pending'")
        try world.bounce()
        try hear()
        #expect(try ada.invitation().status == .accepted)
    }

    @Test("Trap: Two devices that invite the same person offline send two messages – the second one says so")
    mutating func repeated() throws {
        var tablet = Phone(town, account: ada.account)
        try world.prove(email, by: ben)
        let (first, second) = (ada.invite(email, .connect), tablet.invite(email, .connect))
        let other = tablet.invite(email, .list(list.retyped(), .viewer))
        try ada.sync(first)
        try tablet.sync(second, other)
        try hear()
        #expect(try world.messages().count == 2, "The one to the list has another purpose.")
        #expect(ada.invitations.map(\.failure?.reason) == [nil, .alreadyInvited, nil])
        #expect(ada.invitations.map(\.status) == [.pending, .failed, .pending])
        #expect(ben.invitations.count == 2)
        // Proving the email again tells nobody of the second one.
        let cleo = try world.person("Cleo")
        try world.prove(email, by: cleo)
        try world.prove(email, by: ben)
        try hear()
        #expect(ben.invitations.count == 2)
        // After the first was revoked, the second can be sent.
        try ada.sync(ada.edit(ada.invitations[0], ["isRevoked": true]))
        try ada.sync(ada.resend(ada.invitations[1]))
        try hear()
        #expect(ada.invitations.map(\.status) == [.cancelled, .pending, .pending])
        #expect(ada.invitations.map(\.failure?.reason) == [nil, nil, nil])
        #expect(ben.invitations.count == 2)
    }

    // MARK: Rights

    @Test("Only the owner of a list can invite people to it, and only while they own it") mutating func owner() throws {
        try town.join(ben, list, of: ada, as: .editor)
        try ben.sync()
        #expect(
            try ben.outcomes(ben.invite("mailto:cleo@example.com", .list(list.retyped(), .viewer))) == ["forbidden"])
        let unknown = ben.invite("mailto:cleo@example.com", .list(town.id(), .viewer))
        #expect(try ben.outcomes(unknown) == ["forbidden"])
        // The list and the invitation are made offline, and arrive together.
        let other: FeedID = town.id()
        let invitation = ada.invite(email, .list(other.retyped(), .viewer))
        #expect(try ada.outcomes(ada.create(other, "Gifts"), invitation) == ["applied", "applied"])
        try ada.sync(ada.role(.owner, of: ben.account, in: list))
        try ada.sync(ada.invite("mailto:dora@example.com", .connect))
        try hear()
    }

    @Test("An invitation of a former owner is not sent") mutating func handedOver() throws {
        try town.join(ben, list, of: ada, as: .editor)
        var cleo = try world.person("Cleo")
        try world.prove("mailto:cleo@example.com", by: cleo)
        try ada.sync(ada.invite("mailto:cleo@example.com", .list(list.retyped(), .viewer)))
        try hear()
        try ada.sync(ada.role(.owner, of: ben.account, in: list))
        try cleo.sync()
        try cleo.sync(cleo.answer(cleo.invitation(), .accept))
        try world.work()
        try cleo.sync()
        #expect(try cleo.invitation().failure?.reason == .noList)
        #expect(try town.role(cleo.account, list) == nil)
        town.pass(Limits.resend)
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ada.invitation().failure?.reason == .noList)
    }

    @Test("A record of an invitation cannot take the id of something else, nor the fields of the other kind")
    mutating func ids() throws {
        for id in [ben.me, list.retyped()] {
            #expect(try ada.outcomes(ada.invite(email, id: id.retyped())) == ["invalid"])
        }
        #expect(try ada.outcomes(ada.invite("ben@example.com")) == ["invalid"])
        #expect(try ada.outcomes(ada.invite(email, .connect, ["answer": "accept"])) == ["invalid"])
        #expect(try ada.outcomes(ada.invite(email, .connect, ["purpose": "list"])) == ["invalid"])
        #expect(try ada.outcomes(ada.invite(email, .connect, ["state": "accepted"])) == ["forbidden"])
        try invite()
        #expect(try ada.outcomes(ada.edit(ada.invitation(), ["recipient": "mailto:x@example.com"])) == ["invalid"])
        #expect(try ada.outcomes(ada.answer(ada.invitation(), .accept)) == ["invalid"])
        #expect(try ben.outcomes(ben.resend(ben.invitation())) == ["invalid"])
    }

    @Test("Nobody invites themselves, and blocked people do not reach each other", arguments: [true, false])
    mutating func apart(isByInviter: Bool) throws {
        if isByInviter {
            try ada.sync(ada.contact(ben, ["isBlocked": true]))
        } else {
            try ben.sync(ben.contact(ada, ["isBlocked": true]))
        }
        try invite()
        #expect(try ben.invitations.isEmpty && ada.invitation().status == .pending)
        #expect(try world.messages().isEmpty)
        try world.prove("mailto:ada@example.com", by: ada)
        try ada.sync(ada.invite("mailto:ada@example.com"))
        try hear()
        #expect(ada.invitations.compactMap(\.failure?.reason) == [.yourself])
    }

    @Test(
        "Deleting the inviter’s account also deletes the recipient’s record, at once, whoever deletes it",
        arguments: [true, false])
    mutating func deleted(isByOwner: Bool) async throws {
        try invite()
        let signals = SignalLog()
        let accounts = AccountService(database: town.database, signals: signals.sender)
        if isByOwner {
            try await accounts.delete(ada.account, deciding: AccountDeletion(), at: town.now)
        } else {
            try await accounts.delete(ada.account, at: town.now)
        }
        #expect(signals.take().topics.contains(.invitations), "The server works at once.")
        try world.work()
        try ben.sync()
        #expect(ben.invitations.isEmpty)
        let rows = try town.database.readNow { try $0.query("SELECT count(*) FROM invitation").first?.integer(0) }
        #expect(rows == 0)
    }

    @Test("Deleting a sent invitation also deletes the recipient’s record") mutating func removed() throws {
        try invite()
        try ada.sync(ada.delete(ada.invitation()))
        try hear()
        #expect(ada.invitations.isEmpty && ben.invitations.isEmpty)
    }

    // MARK: Limits

    @Test("An invitation beyond a limit fails with the reason, and does not affect other invitations")
    mutating func limits() throws {
        for number in 1...6 {
            var inviter = try world.person("Inviter \(number)")
            try inviter.sync(inviter.invite(email), inviter.invite("mailto:person\(number)@example.com"))
            try world.work()
            try inviter.sync()
            let reasons = inviter.invitations.map(\.failure?.reason)
            #expect(reasons == [number == 6 ? .recipientLimit : nil, nil], "\(number)")
        }
        for number in 1...Limits.invitationsADay + 1 { try ada.sync(ada.invite("mailto:x\(number)@example.com")) }
        try hear()
        #expect(ada.invitations.compactMap(\.failure?.reason) == [.senderLimit])
    }

    @Test("A recipient who has unsubscribed gets no message, and the inviter sees why") mutating func optedOut() throws
    {
        try ada.sync(ada.invite(email))
        try hear()
        let link = try town.database.readNow { transaction in
            try transaction.query("SELECT unsubscribe FROM message").first?.text(0)
        }
        let token = String(try #require(link?.split(separator: "/").last))
        try town.database.writeNow { transaction in
            guard let (recipient, kind) = try MessageSecret(existing: transaction)?.read(token) else { return }
            try transaction.execute(
                "INSERT INTO suppression (recipient, kind, since) VALUES (?, ?, 0)",
                [.bytes(recipient), .text(kind.rawValue)])
        }
        town.pass(Limits.resend)
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ada.invitation().failure?.reason == .optedOut)
    }
}
