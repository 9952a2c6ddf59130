import KithModel
import KithServer
import Testing

/// Invitations that are accepted without a question, because the two have agreed already.
@Suite("Invitations of people who have agreed") struct InvitationAgreementTests {
    private let world: InvitationWorld
    private var ada: Phone
    private var ben: Phone
    private let adasEmail = "mailto:ada@example.com"
    private let bensEmail = "mailto:ben@example.com"

    init() throws {
        world = try InvitationWorld()
        ada = try world.person("Ada")
        ben = try world.person("Ben")
        try world.prove(adasEmail, by: ada)
        try world.prove(bensEmail, by: ben)
    }

    private var town: Town { world.town }

    private mutating func hear() throws {
        try world.work()
        try ada.sync()
        try ben.sync()
    }

    private mutating func connect() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        try ben.sync(ben.wish(.accept, ada))
        try hear()
        #expect(ada.relation(to: ben) == "connected")
    }

    /// Each invites the other to connect, Ada first.
    private mutating func inviteEachOther() throws {
        try ada.sync(ada.invite(bensEmail))
        try hear()
        town.pass(.minutes(1))
        try ben.sync(ben.invite(adasEmail))
        try hear()
    }

    private func statuses(_ phone: Phone, _ direction: Invitation.Direction) -> [Invitation.Status] {
        phone.invitations.filter { $0.direction == direction }.map(\.status)
    }

    @Test("Two people who invite each other to connect are connected at once, and both invitations are accepted")
    mutating func each() throws {
        try inviteEachOther()
        #expect([ada.relation(to: ben), ben.relation(to: ada)] == ["connected", "connected"])
        for phone in [ada, ben] {
            #expect(statuses(phone, .sent) == [.accepted] && statuses(phone, .received) == [.accepted])
        }
        #expect(ada.invitations.first { $0.direction == .sent }?.peer == ben.account)
        #expect(try world.messages(.joined).map { $0.contains("Ben") } == [true], "The first inviter is told.")
        #expect(try world.messages().isEmpty, "Neither was delivered yet, and there is nothing to answer.")
    }

    @Test("They can also send the two invitations at the same time, and prove their emails later")
    mutating func together() throws {
        let (cleo, dora) = (try world.person("Cleo"), try world.person("Dora"))
        (ada, ben) = (cleo, dora)
        try ada.sync(ada.invite("mailto:dora@example.com"))
        try ben.sync(ben.invite("mailto:cleo@example.com"))
        try hear()
        #expect(statuses(ada, .sent) == [.pending] && statuses(ben, .sent) == [.pending])
        try world.prove("mailto:dora@example.com", by: ben)
        try hear()
        #expect(statuses(ada, .sent) == [.pending], "Ben’s email to Cleo is not known to be hers.")
        try world.prove("mailto:cleo@example.com", by: ada)
        try hear()
        #expect(statuses(ada, .sent) == [.accepted] && statuses(ben, .sent) == [.accepted])
        #expect(ada.relation(to: ben) == "connected")
    }

    @Test("An invitation to connect to somebody who is connected already is accepted, and nobody gets a message")
    mutating func connected() throws {
        try connect()
        try ada.sync(ada.invite(bensEmail))
        try hear()
        #expect(statuses(ada, .sent) == [.accepted] && statuses(ben, .received) == [.accepted])
        #expect(try world.messages().isEmpty && world.messages(.joined).isEmpty)
    }

    @Test("People who are not discoverable answer themselves, because an acceptance tells whose email it is")
    mutating func hidden() throws {
        try ada.sync(ada.profile(["isDiscoverable": false]))
        try ben.sync(ben.profile(["isDiscoverable": false]))
        try inviteEachOther()
        #expect(statuses(ada, .sent) == [.pending] && statuses(ben, .sent) == [.pending])
        #expect(statuses(ada, .received) == [.pending] && statuses(ben, .received) == [.pending])
        #expect(ada.relation(to: ben) == "nothing")
        try connect()
        town.pass(Limits.resend)
        let sent = try #require(ada.invitations.first { $0.direction == .sent })
        try ada.sync(ada.resend(sent))
        try hear()
        #expect(statuses(ada, .sent) == [.pending])
    }

    @Test("An invitation to a list or to the service is always answered by the recipient")
    mutating func otherPurposes() throws {
        let list: FeedID = town.id()
        try ada.sync(ada.create(list))
        try connect()
        try ada.sync(ada.invite(bensEmail, .join), ada.invite(bensEmail, .list(list.retyped(), .viewer)))
        try ben.sync(ben.invite(adasEmail, .join))
        try hear()
        #expect(statuses(ada, .sent) == [.pending, .pending] && statuses(ben, .sent) == [.pending])
        #expect(try town.role(ben.account, list) == nil)
    }

    @Test("An invitation to the service is no agreement to connect") mutating func mixed() throws {
        try ada.sync(ada.invite(bensEmail, .join))
        try hear()
        try ben.sync(ben.invite(adasEmail))
        try hear()
        #expect(statuses(ada, .sent) == [.pending] && statuses(ben, .sent) == [.pending])
        #expect(ada.relation(to: ben) == "nothing")
    }

    @Test("A revoked invitation is no agreement, and a block keeps both apart") mutating func withdrawn() throws {
        try ada.sync(ada.invite(bensEmail))
        try hear()
        try ada.sync(ada.edit(ada.invitation(), ["isRevoked": true]))
        try hear()
        try ben.sync(ben.invite(adasEmail))
        try hear()
        #expect(ada.relation(to: ben) == "nothing" && statuses(ben, .sent) == [.pending])
        try ada.sync(ada.contact(ben, ["isBlocked": true]))
        town.pass(Limits.resend)
        let sent = try #require(ada.invitations.first { $0.direction == .sent })
        try ada.sync(ada.resend(sent))
        try hear()
        #expect(ada.relation(to: ben) != "connected" && statuses(ben, .sent) == [.pending])
    }

    @Test("Whoever has declined an invitation accepts it by inviting the inviter") mutating func declined() throws {
        try ada.sync(ada.invite(bensEmail))
        try hear()
        try ben.sync(ben.answer(try ben.invitation(), .decline))
        try hear()
        #expect(statuses(ada, .sent) == [.pending])
        try ben.sync(ben.invite(adasEmail))
        try hear()
        #expect(statuses(ada, .sent) == [.accepted] && statuses(ben, .sent) == [.accepted])
        #expect(statuses(ben, .received) == [.accepted])
    }

    @Test("If the list of contacts of one is full, the invitation waits for an answer") mutating func full() throws {
        try ada.sync(ada.invite(bensEmail))
        try hear()
        try town.execute(
            "UPDATE feed SET live = ? WHERE id = ?", [.integer(Int64(Limits.ownRecords) + 10), .id(ada.account)])
        try ben.sync(ben.invite(adasEmail))
        try hear()
        #expect(statuses(ben, .sent) == [.pending] && statuses(ada, .received) == [.pending])
        #expect((ada.invitations + ben.invitations).allSatisfy { $0.failure == nil })
        #expect(ada.relation(to: ben) == "nothing")
    }

    // MARK: Becoming connected in another way

    @Test(
        "An open invitation to connect is accepted when the two connect by a request, whoever asks",
        arguments: [true, false])
    mutating func request(isInviterFirst: Bool) throws {
        try world.prove("mailto:ben@example.org", by: ben)
        try ada.sync(ada.invite(bensEmail), ada.invite("mailto:ben@example.org"))
        try hear()
        #expect(statuses(ada, .sent) == [.pending, .pending] && statuses(ben, .received) == [.pending, .pending])
        if isInviterFirst {
            try connect()
        } else {
            try ben.sync(ben.wish(.connect, ada))
            try ada.sync()
            let synced = try ada.sync(ada.wish(.accept, ben))
            #expect(synced.signals.topics.contains(.connections), "The server works at once.")
            try hear()
        }
        #expect(statuses(ada, .sent) == [.accepted, .accepted] && statuses(ben, .received) == [.accepted, .accepted])
        #expect(ada.invitations.map(\.peer) == [ben.account, ben.account])
        #expect(try world.messages().isEmpty && world.messages(.joined).isEmpty, "There is nothing to tell.")
    }

    @Test("Whoever accepts an invitation to a list also accepts the inviter’s open invitation to connect")
    mutating func list() throws {
        let list: FeedID = town.id()
        try ada.sync(ada.create(list))
        try ada.sync(ada.invite(bensEmail), ada.invite(bensEmail, .list(list.retyped(), .viewer)))
        try hear()
        let received = try #require(ben.invitations.first { $0.purpose != .connect })
        try ben.sync(ben.answer(received, .accept))
        try hear()
        #expect(statuses(ada, .sent) == [.accepted, .accepted] && statuses(ben, .received) == [.accepted, .accepted])
    }

    @Test("The connection leaves open what is no invitation to connect, what goes to others, and what was declined")
    mutating func otherInvitations() throws {
        try world.prove("mailto:cleo@example.com", by: world.person("Cleo"))
        try ada.sync(
            ada.invite(bensEmail, .join), ada.invite("mailto:cleo@example.com"), ada.invite("mailto:x@example.com"))
        try ben.sync(ben.invite(adasEmail))
        try hear()
        let received = try #require(ada.invitations.first { $0.direction == .received })
        try ada.sync(ada.answer(received, .decline))
        try hear()
        try connect()
        #expect(statuses(ada, .sent) == [.pending, .pending, .pending] && statuses(ben, .received) == [.pending])
        #expect(statuses(ben, .sent) == [.pending] && statuses(ada, .received) == [.declined])
    }

    @Test("Unblocking somebody who is connected accepts the invitations that were sent meanwhile")
    mutating func unblocked() throws {
        try connect()
        try ben.sync(ben.contact(ada, ["isBlocked": true]))
        try ada.sync(ada.invite(bensEmail))
        try hear()
        #expect(statuses(ada, .sent) == [.pending] && ben.invitations.isEmpty)
        try ben.sync(ben.contact(ada, ["isBlocked": false]))
        try hear()
        #expect(statuses(ada, .sent) == [.accepted] && statuses(ben, .received) == [.accepted])
    }

    @Test("A composed invitation is accepted only after its app reports that it was sent")
    mutating func composed() throws {
        let hash = Hex.text(Secret.sha256("secret"))
        try ada.sync(
            ada.invite(bensEmail, .connect, ["delivery": "device", "secret": .text(hash), "requested": .null]))
        try hear()
        try connect()
        #expect(statuses(ada, .sent) == [.pending])
        try ada.sync(ada.edit(ada.invitation(), ["requested": .integer(town.now.milliseconds)]))
        try hear()
        #expect(statuses(ada, .sent) == [.accepted])
    }

    @Test("A person who is not discoverable is not told again of an invitation that a connection leaves open")
    mutating func hiddenConnection() throws {
        try ben.sync(ben.profile(["isDiscoverable": false]))
        try ada.sync(ada.invite(bensEmail))
        try hear()
        let before = try ben.invitation()
        town.pass(.days(2))
        try connect()
        #expect(try ben.invitation() == before && statuses(ada, .sent) == [.pending])
    }
}
