import KithModel
import KithServer
import Testing

@Suite("Requests of strangers cannot fill a network") struct StrangerTests {
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

    @Test("a cancelled request leaves nothing, and can be sent again") mutating func takenBack() throws {
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

    @Test("a block holds although the blocked person has withdrawn the request, however long ago")
    mutating func blockAfterwards() async throws {
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
        try await town.purge()
        #expect(try ben.outcomes(late) == ["applied"])
        #expect(ben.person(cleo)?.isBlocked == true)
    }

    @Test("the owner's fields of a contact stay when the request is cancelled") mutating func touched() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        try ben.sync(ben.contact(ada, ["mutedFrom": 1, "newer": "carried"]))
        try ada.sync(ada.wish(.none, ben))
        try ben.sync()
        #expect(ben.person(ada)?.mutedFrom == Timestamp(milliseconds: 1))
        #expect(ben.fields(ben.home, ada.me)?["newer"] == "carried")
    }

    @Test("waiting requests are counted until they are answered, cancelled or blocked")
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

    @Test("a limited number wait; the next one reaches nobody until it is sent again or crosses a request")
    mutating func full() throws {
        try ben.sync(ben.wish(.connect, ada))
        try fill(ben, live: Limits.requests + 1, waiting: Limits.requests)
        let cleo = try town.phone()
        #expect(try ada.outcomes(ada.wish(.accept, ben)) == ["applied"])
        var dora = try town.phone()
        try dora.sync(dora.wish(.connect, ben))
        try ben.sync()
        #expect(dora.relation(to: ben) == "sent" && ben.relation(to: dora) == "nothing")
        #expect(try waiting == Int64(Limits.requests))
        #expect(try ben.outcomes(ben.wish(.connect, cleo)) == ["applied"])
        // Ben asks her, as if she had not.
        try ben.sync(ben.wish(.connect, dora))
        try dora.sync()
        #expect(dora.relation(to: ben) == "connected" && ben.relation(to: dora) == "connected")

        var eve = try town.phone()
        try eve.sync(eve.wish(.connect, ben))
        try fill(ben, live: Limits.requests, waiting: Limits.requests - 1)
        town.pass(Limits.resend)
        try eve.sync(eve.wish(.connect, ben))
        try ben.sync()
        #expect(ben.relation(to: eve) == "received")
    }

    @Test("they do not count towards the recipient's limit, who can still ask and block") mutating func apart() throws {
        let cleo = try town.phone()
        try ada.sync(ada.wish(.connect, ben))
        try fill(ben, live: Limits.ownRecords + 1, waiting: 2)
        #expect(try ben.outcomes(ben.wish(.connect, cleo)) == ["applied"])
        #expect(try ben.outcomes(ben.contact(try town.phone(), ["isBlocked": true])) == ["full"])
        try ben.sync()
        #expect(try ben.outcomes(ben.contact(ada, ["isBlocked": true])) == ["applied"])
    }

    private enum Answer: CaseIterable { case nothing, block, decline }

    @Test("a free slot does not reveal a block or a refusal") mutating func slotOracle() throws {
        var told: [[String]] = []
        for answer in Answer.allCases {
            let town = try Town()
            var (ada, ben, cleo) = (try town.phone(), try town.phone(), try town.phone())
            try ada.sync()
            try ben.sync()
            try cleo.sync()
            try ada.sync(ada.wish(.connect, ben))
            try ben.sync()
            // Others wait, too: with Ada's it is the limit.
            try town.execute(
                "UPDATE feed SET live = live + ?, waiting = ? WHERE id = ?",
                [.integer(Int64(Limits.requests - 1)), .integer(Int64(Limits.requests)), .id(ben.home)])
            switch answer {
            case .nothing: break
            case .block: try ben.sync(ben.contact(ada, ["isBlocked": true]))
            case .decline: try ben.sync(ben.wish(.decline, ada))
            }
            told.append(try cleo.outcomes(cleo.wish(.connect, ben)))
        }
        #expect(told[1] == told[0])
        #expect(told[2] == told[0])
    }

    @Test("a full network does not reveal a block") mutating func fullOracle() throws {
        let cleo = try town.phone()
        try ben.sync(ben.contact(ada, ["isBlocked": true]))
        try fill(ben, live: Limits.ownRecords, waiting: 0)
        var dora = cleo
        let stranger = try dora.outcomes(dora.wish(.connect, ben))
        let blocked = try ada.outcomes(ada.wish(.connect, ben))
        #expect(blocked == stranger)
    }

    @Test("no more requests wait than the limit, including those that were declined a week ago")
    mutating func limitPassed() throws {
        try ada.sync(ada.wish(.connect, ben))
        try ben.sync()
        try ben.sync(ben.wish(.decline, ada))
        try ada.sync()
        town.pass(Limits.declined + .days(1))
        try fill(ben, live: Limits.requests + 1, waiting: Limits.requests)
        let outcome = try ada.outcomes(ada.wish(.connect, ben))
        #expect(outcome == ["applied"] || outcome == ["full"])
        #expect(try town.row(ben.home)?.waiting ?? 0 <= Int64(Limits.requests))
    }
}
