import KithModel
import KithServer
import Testing

@Suite("Requests between people") struct RelationTests {
    let town: Town
    var ada: Phone
    var ben: Phone

    init() throws {
        town = try Town()
        ada = try town.phone()
        ben = try town.phone()
        try ada.sync(ada.profile(["given": "Ada", "status": "here", "jobTitle": "poet"]))
        try ben.sync(ben.profile(["given": "Ben", "phones": .array([.object(["value": "+41 44 668 18 00"])])]))
    }

    private mutating func hear() throws {
        try ada.sync()
        try ben.sync()
    }

    private var relations: [String] { [ada.relation(to: ben), ben.relation(to: ada)] }

    @Test("connect and accept: both people are notified of each step") mutating func accepted() throws {
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        try hear()
        #expect(relations == ["sent", "received"])
        #expect(ben.person(ada)?.given == "Ada")
        #expect(ben.person(ada)?.asked == town.now)
        #expect(ada.person(ben)?.notified == town.now)
        #expect(try ben.outcomes(ben.wish(.accept, ada)) == ["applied"])
        try hear()
        #expect(relations == ["connected", "connected"])
        #expect(ben.person(ada)?.jobTitle == "poet")
        #expect(ada.person(ben)?.detailsTag != nil)
    }

    @Test("all of a person's devices are notified of each step") mutating func everyDevice() throws {
        var (adasTablet, bensTablet) = (Phone(town, account: ada.account), Phone(town, account: ben.account))
        func relations() throws -> [String] {
            try adasTablet.sync()
            try bensTablet.sync()
            return [adasTablet.relation(to: ben), bensTablet.relation(to: ada)]
        }
        try ada.sync(ada.wish(.connect, ben))
        #expect(try relations() == ["sent", "received"])
        try ben.sync(ben.wish(.accept, ada))
        #expect(try relations() == ["connected", "connected"])
        try ada.sync(ada.wish(.none, ben))
        #expect(try relations() == ["none", "none"])
    }

    @Test("an acceptance does not change the time of the request, and is not a request itself")
    mutating func times() throws {
        try ada.sync(ada.wish(.connect, ben))
        let asked = town.now
        town.pass(.seconds(60))
        try hear()
        try ben.sync(ben.wish(.accept, ada))
        try hear()
        #expect(relations == ["connected", "connected"])
        #expect(ben.person(ada)?.asked == asked)
        #expect(ben.person(ada)?.accepted == nil)
        #expect(ada.person(ben)?.asked == nil)
        #expect(ada.person(ben)?.accepted == town.now)
        // Devices of before know both by this field.
        #expect(try town.record(ada.home, ben.me)?.state.fields["asked"] != nil)
    }

    @Test("requests that cross keep both times, and a removal clears them")
    mutating func timesOfBoth() throws {
        try ada.sync(ada.wish(.connect, ben))
        let first = town.now
        town.pass(.seconds(60))
        try ben.sync(ben.wish(.connect, ada))
        try hear()
        #expect(ben.person(ada)?.asked == first)
        #expect(ada.person(ben)?.asked == town.now)
        #expect(ada.person(ben)?.accepted == nil)
        try ada.sync(ada.wish(.none, ben))
        for (home, other) in [(ada.home, ben.me), (ben.home, ada.me)] {
            let fields = try #require(try town.record(home, other)).state.fields
            #expect(fields["asked"] == nil && fields["accepted"] == nil)
        }
    }

    @Test("only connected people see the parts for the network") mutating func visibility() throws {
        try ada.sync(ada.wish(.connect, ben))
        try hear()
        #expect(ben.person(ada)?.jobTitle == nil)
        #expect(ben.person(ada)?.status == nil)
        #expect(ada.person(ben)?.given == "Ben")
        #expect(ada.person(ben)?.detailsTag == nil)
    }

    @Test("requests that cross connect, even if the earlier one arrives later")
    mutating func crossing() throws {
        let late = ben.wish(.connect, ada, age: 60_000)
        try ada.sync(ada.wish(.connect, ben))
        #expect(try ben.outcomes(late) == ["applied"])
        try hear()
        #expect(relations == ["connected", "connected"])
    }

    @Test("the sender cannot see a declined request, which can still be accepted") mutating func declined() throws {
        try ada.sync(ada.wish(.connect, ben))
        try hear()
        let before = try town.record(ada.home, ben.me)
        try ben.sync(ben.wish(.decline, ada))
        try hear()
        #expect(relations == ["sent", "declined"])
        #expect(try town.record(ada.home, ben.me) == before)
        try ben.sync(ben.wish(.accept, ada))
        try hear()
        #expect(relations == ["connected", "connected"])
    }

    @Test("cancelled: the request is gone for both, and accepting it is refused") mutating func cancelled() throws {
        try ada.sync(ada.wish(.connect, ben))
        try hear()
        try ada.sync(ada.wish(.none, ben))
        #expect(try ben.outcomes(ben.wish(.accept, ada)) == ["noRequest"])
        try hear()
        #expect(relations == ["none", "nothing"])
        // It becomes pending again, an hour after they were last told: who cancels in between gains nothing.
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["tooSoon"])
        town.pass(.seconds(3600))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        try hear()
        #expect(relations == ["sent", "received"])
    }

    @Test("a request can be resent after an hour at the earliest") mutating func resend() throws {
        try ada.sync(ada.wish(.connect, ben))
        try hear()
        town.pass(.seconds(3599))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["tooSoon"])
        town.pass(.seconds(1))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        try hear()
        #expect(ben.person(ada)?.asked == town.now)
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["tooSoon"])
    }

    @Test("a second device that sends the request without knowing of the first is not refused")
    mutating func twoDevices() throws {
        var tablet = Phone(town, account: ada.account)
        let late = tablet.wish(.connect, ben, age: 1_000)
        try ada.sync(ada.wish(.connect, ben))
        #expect(try tablet.outcomes(late) == ["superseded"])
        let second = Phone(town, account: ada.account).wish(.connect, ben)
        #expect(try tablet.outcomes(second) == ["applied"])
        try ben.sync()
        #expect(ben.relation(to: ada) == "received")
    }

    @Test("a declined request returns only after a week, even if it is resent") mutating func declinedWeek() throws {
        try ada.sync(ada.wish(.connect, ben))
        try hear()
        try ben.sync(ben.wish(.decline, ada))
        let quiet = try town.row(ben.home)?.sequence
        town.pass(.days(6))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        #expect(try town.row(ben.home)?.sequence == quiet)
        // Nor by cancelling and asking again.
        try ada.sync(ada.wish(.none, ben))
        town.pass(.seconds(3600))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        try hear()
        #expect(relations == ["sent", "declined"])
        town.pass(.days(1))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["applied"])
        try hear()
        #expect(relations == ["sent", "received"])
    }

    @Test("removed: the connection ends for both, and so do the parts for the network") mutating func removed() throws {
        try town.connect(&ada, &ben)
        try hear()
        try ada.sync(ada.wish(.none, ben))
        try hear()
        #expect(relations == ["none", "none"])
        #expect(ben.person(ada)?.jobTitle == nil)
        #expect(ada.person(ben)?.given == nil)
        #expect(try ben.outcomes(ben.wish(.connect, ada)) == ["applied"])
        try hear()
        #expect(relations == ["received", "sent"])
    }

    @Test("distinct errors: yourself, already connected, unknown, full") mutating func distinct() throws {
        let ghost = Phone(town, account: town.id())
        #expect(try ada.outcomes(ada.wish(.connect, ada)) == ["yourself"])
        #expect(try ada.outcomes(ada.wish(.connect, ghost)) == ["unknown"])
        #expect(try ada.outcomes(ada.contact(ghost, ["isBlocked": true])) == ["unknown"])
        try town.connect(&ada, &ben)
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["alreadyConnected"])
        let cleo = try town.phone()
        try town.execute("UPDATE feed SET live = ? WHERE id = ?", [.integer(Int64(Limits.ownRecords)), .id(cleo.home)])
        #expect(try ada.outcomes(ada.wish(.connect, cleo)) == ["full"])
        let dora = try town.phone()
        try town.execute("UPDATE feed SET live = ? WHERE id = ?", [.integer(Int64(Limits.ownRecords)), .id(ada.home)])
        #expect(try ada.outcomes(ada.wish(.connect, dora)) == ["full"])
    }

    @Test(
        "Trap: one flag serves for pending and for blocked – a block leaves the relation alone, and a stranger can be blocked"
    )
    mutating func blocking() throws {
        #expect(try ada.outcomes(ada.contact(ben, ["isBlocked": true])) == ["applied"])
        #expect(ada.person(ben)?.isBlocked == true)
        #expect(ada.person(ben)?.given == "Ben")
        try ben.sync()
        #expect(ben.relation(to: ada) == "nothing")
        try ben.sync(ben.wish(.connect, ada))
        try hear()
        #expect(relations == ["received", "sent"])
        #expect(ada.person(ben)?.asksMe == false)
        try ada.sync(ada.contact(ben, ["isBlocked": false]))
        #expect(ada.person(ben)?.asksMe == true)
    }

    @Test("a blocked person cannot detect it: the bytes that they read do not change") mutating func unseenBlock()
        throws
    {
        try town.connect(&ada, &ben)
        try hear()
        let before = try town.record(ben.home, ada.me)
        let feed = try town.row(ben.home)
        try ada.sync(ada.contact(ben, ["isBlocked": true]))
        #expect(try town.record(ben.home, ada.me) == before)
        #expect(try town.row(ben.home) == feed)
        // What Ada says of herself goes on reaching him, as it reaches everyone.
        try ada.sync(ada.profile(["status": "away"]))
        try town.reach()
        try ben.sync()
        #expect(ben.person(ada)?.status == "away")
    }

    @Test("Trap: a re-sync erases blocks and mutes – nothing that the other does touches them")
    mutating func resync() throws {
        try town.connect(&ada, &ben)
        try ada.sync(ada.contact(ben, ["isBlocked": true, "mutedFrom": 1, "mutedUntil": 2]))
        try ben.sync(ben.wish(.none, ada))
        try ben.sync(ben.wish(.connect, ada))
        try ben.sync(ben.profile(["given": "Benjamin"]))
        try town.reach()
        var fresh = Phone(town, account: ada.account)
        try fresh.sync()
        let person = fresh.person(ben)
        #expect(person?.isBlocked == true)
        #expect(person?.mutedFrom == Timestamp(milliseconds: 1))
        #expect(person?.mutedUntil == Timestamp(milliseconds: 2))
        #expect(person?.given == "Benjamin")
    }

    @Test("edits of two devices before there was a profile are both kept, whichever arrives first")
    mutating func profileTwice() throws {
        let cleo = try town.phone()
        var (phone, tablet) = (cleo, Phone(town, account: cleo.account))
        let early = phone.profile(["given": "Cleo"], age: 60_000)
        #expect(try tablet.outcomes(tablet.profile(["family": "Kolb"])) == ["applied"])
        #expect(try phone.outcomes(early) == ["applied"])
        #expect(phone.fields(phone.home, Profile.id) == ["given": "Cleo", "family": "Kolb"])
    }

    @Test("a day's requests are limited; answers to requests are not") mutating func quota() throws {
        var asked: [Phone] = []
        for _ in 0..<Limits.requestsADay {
            let other = try town.phone()
            #expect(try ada.outcomes(ada.wish(.connect, other)) == ["applied"])
            asked.append(other)
        }
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["quotaExceeded"])
        #expect(ada.relation(to: ben) == "nothing")
        // Asking again after taking the request back counts too; to accept does not.
        try ada.sync(ada.wish(.none, asked[0]))
        town.pass(.seconds(3600))
        #expect(try ada.outcomes(ada.wish(.connect, asked[0])) == ["quotaExceeded"])
        try ben.sync(ben.wish(.connect, ada))
        try ada.sync()
        #expect(try ada.outcomes(ada.wish(.accept, ben)) == ["applied"])
        town.pass(.days(1))
        #expect(try ada.outcomes(ada.wish(.connect, asked[0])) == ["applied"])
    }

    @Test("the last seen time that a blocked person gets stays as it was when the block arrived")
    mutating func blockedTime() async throws {
        try town.connect(&ada, &ben)
        try hear()
        var blocked: FieldValue? { ada.fields(ada.home, ben.me)?["blocked"] }
        try ada.sync(ada.contact(ben, ["isBlocked": true], age: 3_600_000))
        #expect(blocked == .integer(NetworkContact.neverSeen.milliseconds))
        try town.execute("UPDATE account SET seen_at = ? WHERE id = ?", [.integer(7), .id(ada.account)])
        town.pass(.seconds(60))
        try ada.sync(ada.contact(ben, ["isBlocked": true]))
        #expect(blocked == .integer(NetworkContact.neverSeen.milliseconds))
        try ada.sync(ada.contact(ben, ["isBlocked": false]))
        #expect(blocked == nil)
        try ada.sync(ada.contact(ben, ["isBlocked": true]))
        #expect(blocked == .integer(7))
        // Online, or gone so lately that it is not written down.
        try ada.sync(ada.contact(ben, ["isBlocked": false]))
        let request = ada.request([ada.contact(ben, ["isBlocked": true])])
        let terms = SyncRound.Terms(lastOnline: { [now = town.now] _ in now })
        _ = try await SyncService(database: town.database).sync(request, as: ada.account, at: town.now, under: terms)
        try ada.sync()
        #expect(blocked == .integer(town.now.milliseconds))
    }

    @Test("a person cannot ask somebody they have blocked, from any device") mutating func asksBlocked() throws {
        var tablet = Phone(town, account: ada.account)
        try tablet.sync(tablet.contact(ben, ["isBlocked": true]))
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["forbidden"])
        try ben.sync()
        #expect(ben.relation(to: ada) == "nothing")
        #expect(try ada.outcomes(ada.contact(ben, ["isBlocked": false, "wish": "connect"])) == ["applied"])
    }

    @Test("only the server writes the other person's wish and profile") mutating func forged() throws {
        #expect(try ada.outcomes(ada.contact(ben, ["asked": 1])) == ["forbidden"])
        #expect(try ada.outcomes(ada.contact(ben, ["wish": "connect", "given": "Boss"])) == ["forbidden"])
        #expect(try ada.outcomes(ben.wish(.connect, ada)) == ["forbidden"])
        let misplaced = ada.mutation(ada.home, .profiles, ben.me, .set(["given": "X"]))
        let odd = ada.mutation(ada.home, .contacts, Profile.id, .set(["wish": "connect"]))
        #expect(try ada.outcomes(misplaced, odd) == ["invalid", "invalid"])
    }
}
