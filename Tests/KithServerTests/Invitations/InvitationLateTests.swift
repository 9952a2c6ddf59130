import KithModel
import KithServer
import Testing

@Suite("Answers to an invitation that come too late") struct InvitationLateTests {
    private let world: InvitationWorld
    private var (ada, tablet, ben, laptop): (Phone, Phone, Phone, Phone)

    /// Ada has invited Ben, and each has two devices that show it.
    init() throws {
        let world = try InvitationWorld()
        var phones = [try world.person("Ada"), try world.person("Ben")]
        phones += phones.map { Phone(world.town, account: $0.account) }
        try world.prove("mailto:ben@example.com", by: phones[1])
        try phones[0].sync(phones[0].invite("mailto:ben@example.com"))
        try world.work()
        for index in phones.indices { try phones[index].sync() }
        self.world = world
        (ada, ben, tablet, laptop) = (phones[0], phones[1], phones[2], phones[3])
    }

    @Test("One device accepts, then another declines without having seen it: the decline is refused with the reason")
    mutating func declined() throws {
        let decline = laptop.answer(try laptop.invitation(), .decline)
        try ben.sync(ben.answer(try ben.invitation(), .accept))
        try world.work()
        world.town.pass(.seconds(60))
        #expect(try laptop.outcomes(decline) == ["alreadyAccepted"])
        try laptop.sync()
        #expect(try laptop.invitation().status == .accepted)
        try tablet.sync()
        #expect(try tablet.invitation().status == .accepted && tablet.relation(to: ben) == "connected")
    }

    @Test("A decline that the same person has changed into an acceptance before the job ran takes no effect")
    mutating func changedMind() throws {
        try ben.sync(ben.answer(try ben.invitation(), .decline))
        try laptop.sync()
        #expect(try laptop.outcomes(laptop.answer(try laptop.invitation(), .accept)) == ["applied"])
        try world.work()
        try ben.sync()
        #expect(try ben.invitation().status == .accepted && ben.relation(to: ada) == "connected")
    }

    @Test("An invitation that was accepted meanwhile cannot be revoked: the inviter hears it")
    mutating func revoked() throws {
        let revocation = tablet.edit(try tablet.invitation(), ["isRevoked": true])
        try ben.sync(ben.answer(try ben.invitation(), .accept))
        try world.work()
        world.town.pass(.seconds(60))
        #expect(try tablet.outcomes(revocation) == ["alreadyAccepted"])
        try tablet.sync()
        #expect(try tablet.invitation().status == .accepted)
    }

    @Test("An acceptance of an invitation that was revoked meanwhile is refused, and connects nobody")
    mutating func acceptedAfterRevocation() throws {
        let acceptance = laptop.answer(try laptop.invitation(), .accept)
        try ada.sync(ada.edit(try ada.invitation(), ["isRevoked": true]))
        try world.work()
        #expect(try laptop.outcomes(acceptance) == ["deleted"])
        try world.work()
        try tablet.sync()
        #expect(try tablet.invitation().status == .cancelled && tablet.relation(to: ben) == "nothing")
    }
}
