import KithModel
import KithServer
import Testing

@Suite("Requests of strangers fill nobody's network") struct StrangerTests {
    let town: Town
    var ada: Phone
    var ben: Phone

    init() throws {
        town = try Town()
        ada = try town.phone()
        ben = try town.phone()
        try ada.sync(ada.profile(["given": "Ada"]))
        try ben.sync()
    }

    private var waiting: Int64? { get throws { try town.row(ben.home)?.waiting } }

    private func fill(_ phone: Phone, live: Int, waiting: Int) throws {
        try town.execute(
            "UPDATE feed SET live = ?, waiting = ? WHERE id = ?",
            [.integer(Int64(live)), .integer(Int64(waiting)), .id(phone.home)])
    }

    @Test("one that is taken back leaves nothing, and can come again") mutating func takenBack() throws {
        let empty = try town.row(ben.home)?.live
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        #expect(ben.relation(to: ada) == "received")
        try ada.sync(ada.wish(.none, ben))
        try ben.sync()
        #expect(ben.relation(to: ada) == "nothing")
        #expect(try town.row(ben.home)?.live == empty)
        town.pass(.seconds(3600))
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        #expect(ben.relation(to: ada) == "received")
        #expect(ben.person(ada)?.given == "Ada")
        #expect(try ben.outcomes(ben.wish(.accept, ada)) == ["applied"])
        try ada.sync()
        #expect(ada.relation(to: ben) == "connected")
    }

    @Test("a block of one whose request was taken back meanwhile holds, however long ago it went")
    mutating func blockAfterwards() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        let (block, accept) = (ben.contact(ada, ["isBlocked": true]), ben.wish(.accept, ada))
        try ada.sync(ada.wish(.none, ben))
        #expect(try ben.outcomes(accept) == ["noRequest"])
        #expect(try ben.outcomes(block) == ["applied"])
        #expect(ben.person(ada)?.isBlocked == true)

        var cleo = try town.phone()
        try cleo.sync(cleo.wish(.connect, ben))
        try ben.sync()
        let late = ben.contact(cleo, ["isBlocked": true])
        try cleo.sync(cleo.wish(.none, ben))
        town.pass(Limits.tombstones + .days(1))
        try Housekeeping.purgeNow(town.now, on: town.database)
        #expect(try ben.outcomes(late) == ["applied"])
        #expect(ben.person(cleo)?.isBlocked == true)
    }

    @Test("what its owner made of a contact stays when the request is taken back") mutating func touched() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        try ben.sync(ben.contact(ada, ["mutedFrom": 1, "newer": "carried"]))
        try ada.sync(ada.wish(.none, ben))
        try ben.sync()
        #expect(ben.person(ada)?.mutedFrom == Timestamp(milliseconds: 1))
        #expect(ben.fields(ben.home, ada.me)?["newer"] == "carried")
    }

    @Test("what waits for an answer is counted: until it is answered, taken back or blocked")
    mutating func counted() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        #expect(try waiting == 1)
        try ben.sync(ben.contact(ada, ["isBlocked": true]))
        #expect(try waiting == 0)
        try ben.sync(ben.contact(ada, ["isBlocked": false]))
        #expect(try waiting == 1)
        try ben.sync(ben.wish(.decline, ada))
        #expect(try waiting == 0)
        var cleo = try town.phone()
        try cleo.sync(cleo.wish(.connect, ben))
        #expect(try waiting == 1)
        try cleo.sync(cleo.wish(.none, ben))
        #expect(try waiting == 0)
    }

    @Test("so many wait; the next is told so, and whom one has asked oneself is not kept away")
    mutating func full() throws {
        try ben.sync(ben.wish(.connect, ada))
        try fill(ben, live: Limits.requests + 1, waiting: Limits.requests)
        let cleo = try town.phone()
        #expect(try ada.outcomes(ada.wish(.accept, ben)) == ["applied"])
        var dora = try town.phone()
        #expect(try dora.outcomes(dora.wish(.connect, ben)) == ["full"])
        #expect(dora.relation(to: ben) == "nothing")
        // A block looks like everything else: it is full to the blocked one as to everyone.
        try ben.sync(ben.contact(dora, ["isBlocked": true]))
        #expect(try dora.outcomes(dora.wish(.connect, ben)) == ["full"])
        #expect(try ben.outcomes(ben.wish(.connect, cleo)) == ["applied"])
    }

    @Test("they do not count towards one's own: whoever is asked can still ask and block") mutating func apart() throws
    {
        let cleo = try town.phone()
        try ada.sync(ada.wish(.connect, ben))
        try fill(ben, live: Limits.ownRecords + 1, waiting: 2)
        #expect(try ben.outcomes(ben.wish(.connect, cleo)) == ["applied"])
        #expect(try ben.outcomes(ben.contact(try town.phone(), ["isBlocked": true])) == ["full"])
        try ben.sync()
        #expect(try ben.outcomes(ben.contact(ada, ["isBlocked": true])) == ["applied"])
    }
}
