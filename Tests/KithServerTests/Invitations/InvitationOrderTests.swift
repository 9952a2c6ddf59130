import KithModel
import KithServer
import Testing

/// What the two sides do at about the same time, before the background job has seen it or a device has sent it.
@Suite("Invitations: steps that meet") struct InvitationOrderTests {
    private let world: InvitationWorld
    private var ada: Phone
    private var ben: Phone
    private let email = "mailto:ben@example.com"
    private let list: FeedID

    /// Ada has invited Ben, who has proved his email.
    init() throws {
        (world, ada, ben, list) = try InvitationWorld.withList()
        try world.prove(email, by: ben)
        try ada.sync(ada.invite(email, .list(list.retyped(), .editor)))
        try hear()
    }

    private var town: Town { world.town }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    @Test("Trap: A newer node has ordered a step that is unknown here – it stays, and other invitations go out")
    mutating func newerStep() async throws {
        let secret = try world.lastSecret()
        try town.execute("UPDATE invitation SET step = 'newer', due = ?", [.time(town.now)])
        town.pass(.seconds(1))
        try ben.sync(ben.invite("mailto:guest@example.com"))
        try hear()
        #expect(try world.messages().count == 2)
        #expect(try step() == "newer")
        _ = try await world.service.accept(secret, by: ben.account, at: town.now)
        #expect(try step() == "newer")
        try hear()
        #expect(try ada.invitation().status == .accepted)
    }

    /// The step of Ada's invitation.
    private func step() throws -> String? {
        try town.database.readNow { [account = ada.account] transaction in
            try transaction.query(
                "SELECT step FROM invitation WHERE account = ? AND due IS NOT NULL", [.id(account)]
            ).first?.text(0)
        }
    }

    @Test("A message that waits is not sent after its invitation is revoked or removed", arguments: [false, true])
    mutating func withdrawn(isRemoved: Bool) throws {
        #expect(try world.messages().count == 1)
        let sent = try ada.invitation()
        try ada.sync(isRemoved ? ada.delete(sent) : ada.edit(sent, ["isRevoked": true]))
        try hear()
        #expect(try world.messages().isEmpty)
    }

    @Test(
        "An answer that was given offline is kept if the invitation is sent again before the device has a network",
        arguments: Invitation.Answer.allCases)
    mutating func offlineAnswer(_ answer: Invitation.Answer) throws {
        var mutation = try ben.answer(ben.invitation(), answer)
        town.pass(.days(1))
        try ada.sync(ada.resend(ada.invitation()))
        try world.work()
        town.pass(.minutes(1))
        mutation.age = Duration.days(1).milliseconds + 60_000
        try ben.sync(mutation)
        try hear()
        #expect(try ben.invitation().status == (answer == .accept ? .accepted : .declined))
        #expect(try ada.invitation().status == (answer == .accept ? .accepted : .pending))
    }

    @Test("An invitation is sent again even if it is declined before the background job has seen the order")
    mutating func orderBeforeDecline() throws {
        town.pass(.days(1))
        try ada.sync(ada.resend(ada.invitation()))
        try ben.sync(ben.answer(ben.invitation(), .decline))
        try hear()
        #expect(try ada.invitation().notified == town.now, "Otherwise the inviter could tell.")
        #expect(try ben.invitation().status == .declined)
    }

    @Test("An acceptance is carried out even if the invitation is sent again before the background job has seen it")
    mutating func acceptanceBeforeOrder() throws {
        try ben.sync(ben.answer(ben.invitation(), .decline))
        try hear()
        town.pass(.days(1))
        try ben.sync(ben.answer(ben.invitation(), .accept))
        try ada.sync(ada.resend(ada.invitation()))
        try hear()
        #expect(try ben.invitation().status == .accepted && ada.invitation().status == .accepted)
        #expect(ada.relation(to: ben) == "connected")
    }

    @Test("An acceptance that cannot be carried out is taken back even if the invitation could not be sent again")
    mutating func acceptanceBeforeFailure() throws {
        town.pass(.days(1))
        try ben.sync(ben.answer(ben.invitation(), .accept))
        try ada.sync(ada.resend(ada.invitation()))
        try town.execute("DELETE FROM access WHERE account = ? AND feed = ?", [.id(ada.account), .id(list)])
        try hear()
        #expect(try ben.invitation().status == .pending && ben.invitation().failure?.reason == .noList)
    }
}
