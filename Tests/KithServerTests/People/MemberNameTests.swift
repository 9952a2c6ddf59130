import KithModel
import KithServer
import Testing

@Suite("The names of people in lists") struct MemberNameTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID

    init() throws {
        (town, ada, list) = try Town.withList()
        ben = try town.phone()
        try ben.sync(ben.profile(["given": "Ben", "family": "Kramer", "familyVisibility": "network"]))
        try town.join(ben, list, of: ada, as: .editor)
    }

    private func name(_ phone: Phone) throws -> String? {
        try town.record(list, phone.me)?.state.fields["profileName"]?.text
    }

    @Test("are the public names of the profiles, from the time of joining")
    func joining() throws {
        #expect(try name(ben) == "Ben")
        #expect(try name(ada) == nil)
    }

    @Test("follow the profile, even if the person has no contacts") mutating func following() throws {
        try ada.sync(ada.profile(["given": "Ada"]))
        try ben.sync(ben.profile(["givenVisibility": "nobody"]))
        try town.reach()
        #expect(try name(ada) == "Ada")
        #expect(try name(ben) == nil)
        try ada.sync()
        #expect(ada.fields(list, ada.me)?["profileName"] == "Ada")
    }

    @Test("do not replace the name that a person chose for the list") mutating func chosen() throws {
        try ben.sync(ben.mutation(list, .members, ben.me, .set(["name": "Benny"])))
        try ben.sync(ben.profile(["given": "Benjamin"]))
        try town.reach()
        let fields = try #require(try town.record(list, ben.me)).state.fields
        #expect(fields["name"] == "Benny" && fields["profileName"] == "Benjamin")
    }

    @Test("are kept for removed members, so that the owner can tell them apart")
    mutating func removed() async throws {
        try ada.sync(ada.mutation(list, .members, ben.me, .delete))
        let removed = try town.links.removed(of: list.retyped(), by: ada.account, at: town.now)
        #expect(removed.map(\.name) == ["Ben"])
    }

    @Test("cannot be written by anybody but the server") mutating func forged() throws {
        let forgery = ben.mutation(list, .members, ben.me, .set(["profileName": "Ada"]))
        #expect(try ben.outcomes(forgery) == ["forbidden"])
    }

    @Test("are updated in several steps if there are many lists, together with contacts")
    mutating func steps() throws {
        var more: [FeedID] = []
        for _ in 0..<(ProfileFanout.step + 1) {
            let list: FeedID = town.id()
            try ben.sync(ben.create(list))
            more.append(list)
        }
        try town.connect(&ada, &ben)
        try town.reach()
        var phone = Phone(town, account: ben.account)
        try phone.sync(phone.profile(["given": "Benjamin"]))
        #expect(try town.reach() == 2)
        for list in more + [list] {
            #expect(try town.record(list, ben.me)?.state.fields["profileName"] == "Benjamin")
        }
        #expect(try town.record(ada.home, ben.me)?.state.fields["given"] == "Benjamin")
    }

    @Test("appear in older databases that already contain profiles") func upgrade() throws {
        try town.reach()
        try town.execute("UPDATE record SET fields = '{\"role\":\"editor\"}' WHERE id = ?", [.id(ben.account)])
        try town.execute(
            """
            INSERT INTO reach (account, kind, queued, after, again)
            SELECT feed, 'profile', 0, X'', 0 FROM record WHERE collection = 'profile'
            """)
        #expect(try name(ben) == nil)
        try town.reach()
        #expect(try name(ben) == "Ben")
    }
}
