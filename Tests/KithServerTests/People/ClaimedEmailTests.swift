import KithModel
import KithServer
import Testing

@Suite("An email that nobody has proved") struct ClaimedEmailTests {
    @Test("Trap: It identifies its owner to others – nobody else sees it, and it is no identity")
    func hidden() throws {
        let town = try Town()
        var (ada, ben) = (try town.phone(), try town.phone())
        try town.connect(&ada, &ben)
        try ada.sync(ada.profile(["given": "Ada", "claimedEmail": "ada@example.com"]))
        try town.reach()
        try ben.sync()
        #expect(ada.fields(ada.home, Profile.id)?["claimedEmail"] == "ada@example.com")
        #expect(ben.person(ada)?.given == "Ada")
        let seen = try town.database.readNow { [ada = ada.account, ben = ben.account] transaction in
            (
                try ProfileViewing(transaction).shown(of: ada, to: ben)?.fields ?? [:],
                try transaction.query("SELECT value FROM identity").count,
                try transaction.query("SELECT kind FROM account WHERE id = ?", [.id(ada)]).first?.text(0)
            )
        }
        #expect(seen.0["given"] == "Ada" && seen.0["claimedEmail"] == nil)
        #expect(seen.1 == 0 && seen.2 == "anonymous")
        let fields = try town.record(ben.home, ada.me)?.state.fields ?? [:]
        #expect(!fields.values.contains("ada@example.com"))
    }
}
