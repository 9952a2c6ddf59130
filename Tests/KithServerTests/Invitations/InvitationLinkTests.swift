import Foundation
import KithModel
import KithServer
import Testing

@Suite("The link of an invitation") struct InvitationLinkTests {
    private let world: InvitationWorld
    private var ada: Phone
    private var ben: Phone
    private let list: FeedID

    init() throws { (world, ada, ben, list) = try InvitationWorld.withList() }

    private var town: Town { world.town }

    private mutating func invite(_ more: Fields = [:]) throws -> String {
        try ada.sync(ada.invite("mailto:guest@example.com", .list(list.retyped(), .viewer), more))
        try world.work()
        try ada.sync()
        return try world.lastSecret()
    }

    private func accept(_ secret: String, _ phone: Phone) async throws -> InvitationAcceptance {
        try await world.service.accept(secret, by: phone.account, at: town.now)
    }

    @Test("It shows what it offers, but not who is invited") mutating func preview() async throws {
        let secret = try invite(["text": "Come!"])
        let preview = try await world.service.preview(secret, at: town.now)
        #expect(preview.inviter == "Ada" && preview.list == "Groceries" && preview.role == .viewer)
        #expect(preview.connects && preview.text == "Come!" && preview.expires == town.now + Limits.invitation)
    }

    @Test("The first account uses it up; a repetition by that account gives the same answer")
    mutating func once() async throws {
        let secret = try invite()
        let first = try await accept(secret, ben)
        #expect(first == InvitationAcceptance(inviter: ada.account, list: list.retyped(), role: .viewer))
        #expect(try await accept(secret, ben) == first)
        let cleo = try world.person("Cleo")
        #expect(await errorCode { try await accept(secret, cleo) } == .linkExpired)
        #expect(await errorCode { try await accept(secret, ada) } == .conflict)
        #expect(await errorCode { try await world.service.preview(secret, at: town.now) } == .linkExpired)
        #expect(try town.role(cleo.account, list) == nil)
        try ada.sync()
        try ben.sync()
        #expect(try ada.invitation().status == .accepted && ada.invitation().peer == ben.account)
        #expect(try ben.invitation().status == .accepted && ben.invitation().direction == .received)
        #expect(ada.relation(to: ben) == "connected")
    }

    @Test("Trap: One of the two accounts is deleted while the other accepts – nobody keeps it as a contact")
    mutating func deleted() async throws {
        let secret = try invite()
        // The token of the guest was checked before.
        try town.delete(ben.account)
        #expect(await errorCode { try await accept(secret, ben) } == .accountClosed)
        try ada.sync()
        #expect(try ada.relation(to: ben) == "nothing" && town.role(ben.account, list) == nil)
        // The background job has not ended the invitation yet.
        let cleo = try world.person("Cleo")
        try town.delete(ada.account)
        #expect(await errorCode { try await accept(secret, cleo) } == .linkExpired)
        #expect(try town.record(cleo.home, ada.me) == nil && town.role(cleo.account, list) == nil)
    }

    @Test("If another person accepts it with the link, its recipient cannot accept it") mutating func forwarded()
        async throws
    {
        var guest = try world.person("Guest")
        try world.prove("mailto:guest@example.com", by: guest)
        let secret = try invite()
        try guest.sync()
        #expect(guest.invitations.count == 1)
        _ = try await accept(secret, ben)
        try guest.sync()
        #expect(guest.invitations.isEmpty)
    }

    @Test("Trap: Whoever accepts a forwarded link learns the address that it was sent to – the record has no recipient")
    mutating func forwardedRecipient() async throws {
        let secret = try invite()
        _ = try await accept(secret, ben)
        try ben.sync()
        let accepted = try ben.invitation()
        #expect(accepted.status == .accepted && accepted.direction == .received && accepted.peerName == "Ada")
        #expect(accepted.recipient == nil)
        let fields = try #require(ben.fields(ben.home, accepted.id.retyped()))
        #expect(!"\(fields)".contains("guest@example.com"))
        // Ben can still remove it, but not change it.
        #expect(try ben.outcomes(ben.edit(accepted, ["recipient": "mailto:x@example.com"])) == ["invalid"])
        #expect(try ben.outcomes(ben.delete(accepted)) == ["applied"])
    }

    @Test("The recipient who accepts by the link sees the address") mutating func ownRecipient() async throws {
        try world.prove("mailto:guest@example.com", by: ben)
        let secret = try invite()
        _ = try await accept(secret, ben)
        try ben.sync()
        #expect(try ben.invitation().recipient?.text == "mailto:guest@example.com")
    }

    @Test("The app can report that it has sent an invitation whose link was accepted before: nothing is rejected")
    mutating func reportedLate() async throws {
        let hash = Hex.text(Secret.sha256("secret"))
        try ada.sync(
            ada.invite(
                "mailto:guest@example.com", .connect,
                ["delivery": "device", "secret": .text(hash), "requested": .null]))
        let report = ada.resend(try ada.invitation())
        _ = try await accept("secret", ben)
        town.pass(.minutes(1))
        #expect(try ada.outcomes(report) == ["applied"])
        try world.work()
        try ada.sync()
        #expect(try ada.invitation().status == .accepted && ada.invitation().peer == ben.account)
        #expect(try world.messages().isEmpty)
    }

    @Test("It ends when it is revoked, deleted or expired; sent again, a new one works") mutating func ends()
        async throws
    {
        let secret = try invite()
        try ada.sync(ada.edit(ada.invitation(), ["isRevoked": true]))
        try world.work()
        #expect(await errorCode { try await accept(secret, ben) } == .notFound)
        town.pass(Limits.resend)
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        try ada.sync()
        let second = try world.lastSecret()
        town.pass(Limits.invitation)
        #expect(await errorCode { try await accept(second, ben) } == .linkExpired)
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        // The earlier link works again, because the invitation is open again.
        #expect(try await accept(second, ben).role == .viewer)
    }

    @Test("A link that the device has made works, and the server never has its secret") mutating func own() async throws
    {
        let hash = Hex.text(Secret.sha256("the secret of the device"))
        let invitation = ada.invite(
            "mailto:guest@example.com", .connect, ["delivery": "device", "secret": .text(hash), "requested": .null])
        try ada.sync(invitation)
        try world.work()
        #expect(try world.messages().isEmpty)
        #expect(try await world.service.preview("the secret of the device", at: town.now).connects)
        // The app reports that it was sent.
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        try ada.sync()
        #expect(try world.messages().isEmpty)
        #expect(try ada.invitation().notified == town.now)
        #expect(try await accept("the secret of the device", ben).inviter == ada.account)
    }

    @Test(
        "A new link of the device opens a revoked or expired invitation again, before the app reports that it was sent",
        arguments: [false, true])
    mutating func recomposed(isRevoked: Bool) async throws {
        func fields(_ secret: String) -> Fields { ["secret": .text(Hex.text(Secret.sha256(secret)))] }
        try ada.sync(
            ada.invite(
                "mailto:guest@example.com", .connect,
                fields("first").merging(["delivery": "device", "requested": .null]) { $1 }))
        if isRevoked {
            try ada.sync(ada.edit(ada.invitation(), ["isRevoked": true]))
            try world.work()
        } else {
            town.pass(Limits.invitation)
        }
        let again = try ada.edit(ada.invitation(), fields("second").merging(["isRevoked": false]) { $1 })
        try ada.sync(again)
        try world.work()
        #expect(try await accept("second", ben).inviter == ada.account)
        try ada.sync()
        #expect(try ada.invitation().status == .accepted)
    }

    /// Ben joins the list, and Ada removes him.
    private mutating func remove() throws {
        try town.join(ben, list, of: ada, as: .viewer)
        try ada.sync(ada.mutation(list, .members, ben.me, .delete))
        town.pass(.seconds(1))
    }

    /// Ben accepts the invitation that he has received.
    private mutating func answer() throws {
        try ben.sync()
        try ben.sync(ben.answer(ben.invitation(), .accept))
        try world.work()
        try ben.sync()
    }

    /// The people that Ada's list keeps out.
    private var keptOut: [AccountID] {
        get throws { try town.links.removed(of: list.retyped(), by: ada.account, at: town.now).map(\.account) }
    }

    @Test("A person that the owner has removed and then invited can rejoin as the recipient, but not with the link")
    mutating func invitedAfterRemoval() async throws {
        try remove()
        let secret = try invite()
        #expect(await errorCode { try await accept(secret, ben) } == .forbidden)
        try world.prove("mailto:guest@example.com", by: ben)
        try world.work()
        try answer()
        #expect(try town.role(ben.account, list) == .viewer && keptOut.isEmpty)
    }

    @Test(
        """
        Trap: A removed person accepts an invitation of the time before, by its record or its link – they stay out until it \
        is sent again
        """, arguments: [true, false])
    mutating func invitedBeforeRemoval(hasLink: Bool) async throws {
        try world.prove("mailto:guest@example.com", by: ben)
        let secret = try invite()
        try remove()
        if hasLink {
            #expect(await errorCode { try await accept(secret, ben) } == .forbidden)
        } else {
            try answer()
            #expect(try ben.invitation().failure?.reason == .noList)
        }
        #expect(try town.role(ben.account, list) == nil && keptOut == [ben.account])
        town.pass(Limits.resend)
        try ada.sync()
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        if hasLink {
            #expect(try await accept(secret, ben).role == .viewer)
        } else {
            try answer()
        }
        #expect(try town.role(ben.account, list) == .viewer && keptOut.isEmpty)
    }

    @Test("It ends with the list, and when the list has another owner", arguments: [true, false])
    mutating func withoutList(isDeleted: Bool) async throws {
        try town.join(ben, list, of: ada, as: .editor)
        let secret = try invite()
        #expect(try await world.service.preview(secret, at: town.now).list == "Groceries")
        try ada.sync(
            isDeleted
                ? ada.mutation(list, .lists, list.retyped(), .delete) : ada.role(.owner, of: ben.account, in: list))
        #expect(await errorCode { try await world.service.preview(secret, at: town.now) } == .linkExpired)
        let cleo = try world.person("Cleo")
        #expect(await errorCode { try await accept(secret, cleo) } == .linkExpired)
    }

    @Test("An unknown secret is not found") func unknown() async throws {
        #expect(await errorCode { try await accept("nothing", ben) } == .notFound)
        #expect(await errorCode { try await world.service.preview("nothing", at: town.now) } == .notFound)
    }
}
