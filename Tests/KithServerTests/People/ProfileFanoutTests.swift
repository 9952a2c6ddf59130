import KithModel
import KithServer
import Testing

@Suite("Changes of an account reach the people who have it as a contact") struct ProfileFanoutTests {
    let town: Town
    var ada: Phone

    init() throws {
        town = try Town()
        ada = try town.phone()
        try ada.sync(ada.profile(["given": "Ada"]))
    }

    private func friends(_ count: Int) throws -> [Phone] {
        var ada = ada
        return try (0..<count).map { _ in
            var friend = try town.phone()
            try town.connect(&friend, &ada)
            return friend
        }
    }

    private func statuses(at friends: [Phone]) throws -> Set<String?> {
        Set(try friends.map { try town.record($0.home, ada.me)?.state.fields["status"]?.text })
    }

    @Test("a changed profile reaches everyone, in bounded steps after the round") mutating func profile() throws {
        let friends = try friends(ProfileFanout.step + 1)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        let synced = try phone.sync(phone.profile(["status": "by the sea"]))
        #expect(synced.signals.moved == [ada.home])
        #expect(try town.reach() == 2)
        for friend in friends {
            #expect(try town.record(friend.home, ada.me)?.state.fields["status"] == "by the sea")
        }
    }

    @Test("a profile that changes twice before the job runs is copied once") mutating func twice() throws {
        let friends = try friends(ProfileFanout.step + 1)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["status": "one"]))
        try phone.sync(phone.profile(["status": "two"]))
        #expect(try town.reach() == 2)
        #expect(try statuses(at: friends) == ["two"])
    }

    @Test("a restart resumes at the stored position") mutating func restart() throws {
        let friends = try friends(ProfileFanout.step + 1)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["status": "by the sea"]))
        let first = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        #expect(first.moved.count == ProfileFanout.step)
        // What the job knows is in the database alone.
        #expect(try town.reach() == 1)
        #expect(try statuses(at: friends) == ["by the sea"])
    }

    @Test("as many people as fit into one step need no second one") mutating func oneStep() throws {
        let friends = try friends(ProfileFanout.step)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["status": "by the sea"]))
        #expect(try town.reach() == 1)
        #expect(try statuses(at: friends) == ["by the sea"])
    }

    @Test("a change during a fan-out also reaches the people that the fan-out has already passed") mutating func again()
        throws
    {
        let friends = try friends(ProfileFanout.step + 1)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["status": "one"]))
        _ = try town.database.writeNow { [now = town.now] in try ProfileFanout.take(at: now, in: $0) }
        try phone.sync(phone.profile(["status": "two"]))
        try town.reach()
        #expect(try statuses(at: friends) == ["two"])
    }

    @Test("a change after a step has read whom to tell also reaches people who have come since then")
    mutating func meanwhile() throws {
        _ = try friends(1)
        try town.reach()
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["given": "Adele"]))
        var ben = try town.phone()
        let requests = [
            (ben.account, ben.request([ben.wish(.connect, ada)])),
            (ada.account, phone.request([phone.profile(["given": "Adelheid"])])),
        ]
        try town.database.writeNow { [now = town.now] transaction in
            var others = requests
            // The step has read everything, and locks the row.
            let watched = WatchedTransaction(
                base: transaction,
                before: { sql, _ in
                    guard sql.contains("FROM reach WHERE") else { return }
                    for (account, request) in others {
                        _ = try SyncRound(request, as: account, at: now).push(in: transaction)
                    }
                    others = []
                })
            _ = try ProfileFanout.take(at: now, in: watched)
            #expect(others.isEmpty)
        }
        #expect(try town.record(ben.home, ada.me)?.state.fields["given"] == "Adele")
        try town.reach()
        #expect(try town.record(ben.home, ada.me)?.state.fields["given"] == "Adelheid")
    }

    @Test("a change that nobody else may see moves no feed") mutating func unseen() throws {
        let friend = try #require(try friends(1).first)
        try town.reach()
        let before = try town.row(friend.home)
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["country": "AT", "countryVisibility": "nobody"]))
        try town.reach()
        #expect(try town.row(friend.home) == before)
    }

    @Test("revoked: fields that are not shown any more disappear from contacts") mutating func revoked() throws {
        var friend = try #require(try friends(1).first)
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.profile(["status": "secret"]))
        try town.reach()
        try friend.sync()
        #expect(friend.person(ada)?.status == "secret")
        try phone.sync(phone.profile(["statusVisibility": "nobody"]))
        try town.reach()
        try friend.sync()
        #expect(friend.person(ada)?.status == nil)
    }

    @Test("the operator can mark an account as a program") mutating func bot() async throws {
        var friend = try #require(try friends(1).first)
        try await AccountService(database: town.database, signals: .none).setBot(true, ada.account, at: town.now)
        try town.reach()
        try friend.sync()
        #expect(friend.person(ada)?.isBot == true)
        #expect(friend.person(ada)?.isInNetwork(of: friend.account) == false)
    }

    @Test("a deleted account: its contacts disappear, its lists are handed over, its records are removed")
    mutating func deletion() throws {
        var friend = try #require(try friends(1).first)
        let (shared, own): (FeedID, FeedID) = (town.id(), town.id())
        var phone = Phone(town, account: ada.account)
        try phone.sync(phone.create(shared), phone.create(own))
        try town.join(friend, shared, of: phone, as: .viewer)
        // Refused, with a sentence that quotes it.
        #expect(try phone.outcomes(phone.profile(["phonesVisibility": "a secret"])) == ["invalid"])
        try town.delete(ada.account)
        let (writing, reading) = (phone.request([phone.profile(["given": "Ghost"])]), phone.request([]))
        for request in [writing, reading] {
            let refusal = #expect(throws: ServerError.self) { _ = try phone.send(request) }
            #expect(refusal?.code == .accountClosed)
        }
        #expect(try friend.outcomes(friend.contact(ada, ["isBlocked": true])) == ["unknown"])
        try town.reach()
        try friend.sync()
        #expect(friend.person(ada) == nil)
        #expect(try town.role(friend.account, shared) == .owner)
        #expect(try town.row(own)?.isClosed == true)
        #expect(try town.row(ada.home)?.live == 0)
        #expect(try town.record(ada.home, Profile.id) == nil)
        #expect(try town.role(ada.account, shared) == nil)
        let remembered = try town.database.readNow { [account = ada.account] in
            try $0.query("SELECT account FROM taken WHERE account = ?", [.id(account)]).count
        }
        #expect(remembered == 0)
    }
}
