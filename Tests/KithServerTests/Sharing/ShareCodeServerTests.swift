import KithModel
import KithServer
import Testing

@Suite("Share codes on the server") struct ShareCodeServerTests {
    private let world: SharingWorld
    private var ada: Phone
    private var ben: Phone

    init() throws {
        world = try SharingWorld(
            #"\#(SharingWorld.rewards),"codes":{"shortest":4,"longest":10,"reserved":["admin"]}"#)
        (ada, ben) = (try world.person("Ada"), try world.person("Ben"))
    }

    @Test("Trap: codes – a code belongs to the first who has it, in any spelling")
    mutating func taken() throws {
        #expect(try ada.outcomes(ada.shareable("ADA-OIL")) == ["applied"])
        for spelling in ["ADA-OIL", "ada0il", "AD-A0-11"] {
            #expect(try ben.outcomes(ben.shareable(spelling)) == ["codeTaken"])
        }
        #expect(try ben.outcomes(ben.shareable("ADA-OIL-2")) == ["applied"])
        #expect(try ben.outcomes(ben.change(["code": "ada-oil"])) == ["codeTaken"])
        #expect(ben.shareables.map(\.code.text) == ["ADA-OIL-2"])
    }

    @Test(
        "Trap: codes – each fault has an error of its own",
        arguments: [
            ("../etc", "codeIllegal"), ("abc", "codeLength"), ("ABCDEFGHIJK", "codeLength"),
            ("my-adm1n", "codeReserved"),
        ])
    mutating func faults(code: String, rejection: String) throws {
        #expect(try ada.outcomes(ada.shareable(code)) == [rejection])
    }

    @Test("A code that a device has made from random bits is permitted, whatever the programme demands")
    mutating func random() throws {
        let strict = try SharingWorld(#""codes":{"shortest":12,"longest":20,"reserved":["XYZ"]}"#)
        var cleo = try strict.person("Cleo")
        #expect(try cleo.outcomes(cleo.shareable("2XYZ-4567")) == ["applied"])
        #expect(try cleo.outcomes(cleo.shareable("CLEO-TEA")) == ["codeLength"])
    }

    @Test("Without a programme, sharing is off and says so")
    func noProgramme() throws {
        let world = try SharingWorld(nil)
        var ada = try world.person("Ada")
        #expect(try ada.outcomes(ada.shareable("ADA-TEA")) == ["noProgramme"])
    }

    @Test("Earlier codes lead to the account that had them, and nobody else can take them")
    mutating func earlier() throws {
        try ada.sync(ada.shareable("ADA-TEA"))
        #expect(try ada.outcomes(ada.change(["code": "ADA-OIL"])) == ["applied"])
        #expect(try ben.outcomes(ben.shareable("ADA-TEA")) == ["codeTaken"])
        try ben.sync(ben.use("ada-tea"))
        world.town.pass(.seconds(60))
        try world.prove("mailto:ben@example.com", by: ben)
        try ada.sync()
        #expect(ada.referrals.map(\.shareable) == [ada.shareables.first?.id])
        #expect(try ada.outcomes(ada.change(["code": "ADA-TEA"])) == ["applied"])
    }

    @Test("Two devices make a shareable each while they have no network, and both codes work")
    mutating func devices() throws {
        var tablet = Phone(world.town, account: ada.account)
        #expect(try ada.outcomes(ada.shareable("2345-6789")) == ["applied"])
        #expect(try tablet.outcomes(tablet.shareable("BCDF-GHJK")) == ["applied"])
        #expect(try ben.outcomes(ben.shareable("BCDFGHJK"), ben.shareable("23456789")) == ["codeTaken", "codeTaken"])
    }

    @Test("An account's own code does not change its programme")
    mutating func otherProgramme() throws {
        try world.addProgramme("families", "")
        try ada.sync(ada.shareable("ADA-TEA"))
        #expect(try ada.outcomes(ada.shareable("ADA-TEA", in: "families")) == ["codeTaken"])
        // Both in one request: the code stays with the first.
        let outcomes = try ada.outcomes(ada.shareable("ADA-OIL"), ada.shareable("ADA-OIL", in: "families"))
        #expect(outcomes == ["applied", "applied"])
        let programmes = try world.town.database.readNow { transaction in
            try transaction.query("SELECT programme FROM share_code WHERE key = 'ADA011'").map { try $0.text(0) }
        }
        #expect(programmes.count == 1)
    }

    @Test("An account has a limited number of shareables, and of codes")
    mutating func limits() throws {
        for index in 0..<Limits.shareables { try ada.sync(ada.shareable("CODE-\(1_000 + index)")) }
        #expect(try ada.outcomes(ada.shareable("CODE-2000")) == ["full"])
        let id: RecordID<Never> = try #require(ada.shareables.first).id.retyped()
        let seen = ada.replica[ada.home]?[id]?.sequence ?? 0
        try ada.sync(ada.mutation(ada.home, .shareables, id, .delete, seen: seen))
        #expect(try ada.outcomes(ada.shareable("CODE-2000")) == ["applied"])
        for index in 0..<199 { try ada.sync(ada.change(["code": .text("WORD-\(1_000 + index)")])) }
        #expect(try ada.outcomes(ada.change(["code": "WORD-2000"])) == ["full"])
        #expect(try ada.outcomes(ada.change(["code": "WORD-1000"])) == ["applied"])
    }

    @Test("Shares and rewards count as records of the own feed, at whose limit only contacts are refused")
    mutating func ownRecords() throws {
        try ada.sync(ada.shareable("ADA-TEA"))
        let before = try #require(try world.town.row(ada.home)).live
        try ada.sync(ada.share(.sheet))
        #expect(try world.town.row(ada.home)?.live == before + 1)
        try world.town.execute(
            "UPDATE feed SET live = ? WHERE id = ?", [.integer(Int64(Limits.ownRecords)), .id(ada.account)])
        #expect(try ada.outcomes(ada.wish(.connect, ben)) == ["full"])
        #expect(try ada.outcomes(ada.share(.sheet), ada.use("BEN-TEA")) == ["applied", "applied"])
        world.town.pass(.seconds(60))
        try ben.sync(ben.use("ADA-TEA"))
        try world.prove("mailto:ben@example.com", by: ben)
        try ada.sync()
        #expect(ada.referrals.count == 1 && ada.rewards.count == 1)
    }

    @Test("A new record cannot have the id of an account, because that person's contact has it")
    mutating func ids() throws {
        let taken: RecordID<Never> = ben.account.retyped()
        let mutation = ada.shareable("ADA-TEA", id: taken.retyped())
        #expect(try ada.outcomes(mutation) == ["invalid"])
        #expect(
            try ada.outcomes(ada.mutation(ada.home, .claims, taken, .set(["code": "abc", "used": 1]))) == ["invalid"])
    }

    @Test("An account can send a limited number of events in a day")
    mutating func events() throws {
        for _ in 0..<2 {
            let events = (0..<Limits.mutations).map { _ in ada.event("visit") }
            let answer = try ada.sync(events).answer
            #expect(answer.outcomes.isEmpty)
        }
        #expect(try ada.outcomes(ada.event("visit")) == ["quotaExceeded"])
        world.town.pass(.days(1))
        #expect(try ada.outcomes(ada.event("visit")) == ["applied"])
    }
}
