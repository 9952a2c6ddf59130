import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Details and the directory") struct DetailsTests {
    @Test("Details are fetched once, stored, read offline, and fetched again when they change") func lazily()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["given": "Grace", "country": "US"], tag: "a")
        #expect(try await circle.network.details(of: grace).profile.country == "US")
        circle.people.change { $0.isAway = true }
        let kept = try await circle.network.details(of: grace)
        #expect(kept.profile.country == "US" && kept.isComplete)
        // Something new, which cannot be fetched now: what is known is told, and that it is not all.
        circle.tell(grace, ["detailsTag": "b", "given": "Admiral"])
        try await circle.phone.client.syncNow()
        let stale = try await circle.network.details(of: grace)
        #expect(stale.profile.country == "US" && !stale.isComplete)
        #expect(stale.profile.given == "Admiral")
        circle.people.change { $0.isAway = false }
        circle.shows(grace, ["given": "Admiral", "country": "UK"], tag: "b")
        #expect(try await circle.network.details(of: grace).profile.country == "UK")
        #expect(circle.phone.server.requests.count { $0.path == "/v1/accounts/\(grace)" } == 3)
    }

    @Test("Trap: The page to sign in of a network answers – the stored details are returned") func behindPage()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["given": "Grace", "country": "US"], tag: "a")
        _ = try await circle.network.details(of: grace)
        circle.tell(grace, ["detailsTag": "b"])
        try await circle.phone.client.syncNow()
        circle.phone.server.wire.instead = { _ in TransportResponse(status: 200, body: Data("<html>".utf8)) }
        let stale = try await circle.network.details(of: grace)
        #expect(stale.profile.country == "US" && !stale.isComplete)
    }

    @Test("When the last detail is hidden, none is shown any more, nor kept") func lastHidden() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["given": "Grace", "country": "US"], tag: "a")
        #expect(try await circle.network.details(of: grace).profile.country == "US")
        circle.tell(grace, ["detailsTag": .null])
        circle.people.change { $0.isAway = true }
        try await circle.phone.client.syncNow()
        let person = try await circle.network.details(of: grace)
        #expect(person.profile.country == nil && person.profile.given == "Grace")
        #expect(try circle.phone.query("SELECT * FROM details").isEmpty)
    }

    @Test("Details arrive as an update of that contact") func update() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["country": "US"], tag: "a")
        var changes = circle.network.changes().makeAsyncIterator()
        _ = await changes.next()
        _ = try await circle.network.details(of: grace)
        let change = try #require(await changes.next())
        #expect(change.updated.map(\.contact.id) == [grace])
        #expect(change.updated.map(\.keys) == [[.details]])
    }

    @Test("An update of another contact does not land on an open detail view; what is new of this one does")
    func openView()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        let ada = try await circle.friend(2, "Ada", ["detailsTag": "x"])
        circle.shows(grace, ["country": "US"], tag: "a")
        circle.shows(ada, ["country": "GB"], tag: "x")
        var view = circle.network.liveDetails(of: grace).makeAsyncIterator()
        var person = await view.next() ?? nil
        while person?.isComplete != true { person = await view.next() ?? nil }
        #expect(person?.profile.country == "US")
        _ = try await circle.network.details(of: ada)
        circle.tell(ada, ["given": "Augusta"])
        try await circle.phone.client.syncNow()
        circle.shows(grace, ["country": "UK"], tag: "b")
        circle.tell(grace, ["detailsTag": "b"])
        try await circle.phone.client.syncNow()
        var seen: [Person?] = []
        while seen.last.flatMap({ $0 })?.profile.country != "UK" { seen.append(await view.next() ?? nil) }
        #expect(seen.allSatisfy { $0?.id == grace && $0?.profile.given == "Grace" })
        #expect(seen.count <= 2)
    }

    @Test(
        "Trap: The server does not answer a request for details – a newer name is shown meanwhile",
        .timeLimit(.minutes(15)))
    func silentServer() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["country": "US"], tag: "a")
        let (isAsked, isAnswering) = (Switch(), Switch())
        circle.phone.server.wire.before = { request in
            guard request.path == "/v1/accounts/\(grace)" else { return }
            isAsked.isOn = true
            try await until { isAnswering.isOn }
        }
        var view = circle.network.liveDetails(of: grace).makeAsyncIterator()
        try await until { isAsked.isOn }
        circle.tell(grace, ["given": "Admiral"])
        try await circle.phone.client.syncNow()
        var person = await view.next() ?? nil
        while person?.profile.given != "Admiral" { person = await view.next() ?? nil }
        #expect(person?.isComplete == false)
        isAnswering.isOn = true
        while person?.isComplete != true { person = await view.next() ?? nil }
        #expect(person?.profile.country == "US" && person?.profile.given == "Admiral")
    }

    @Test("Details that could not be fetched are fetched after the next successful round", .timeLimit(.minutes(15)))
    func afterRound() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["country": "US"], tag: "a")
        circle.people.change { $0.isAway = true }
        var view = circle.network.liveDetails(of: grace).makeAsyncIterator()
        try await until { circle.phone.server.requests.contains { $0.path == "/v1/accounts/\(grace)" } }
        circle.people.change { $0.isAway = false }
        try await circle.phone.client.syncNow()
        var person = await view.next() ?? nil
        while person?.isComplete != true { person = await view.next() ?? nil }
        #expect(person?.profile.country == "US")
    }

    @Test(
        "Trap: A busy server names a pause of zero seconds – it is asked for details after the next round, not in a loop",
        .timeLimit(.minutes(15)))
    func pauseOfZero() async throws {
        let (server, pauses) = (FakeServer(), Pauses())
        let client = try KithClient(
            replica: try Replica(.inMemory, dependencies: pauses.dependencies(server.clock)), transport: server,
            credentials: InMemoryCredentialStore())
        try await client.syncNow()
        let (me, grace, now) = (try present(await client.session.account()), Circle.person(3), server.clock.now)
        let fields: Fields = [
            "wish": "connect", "asked": .integer(now.milliseconds), "given": "Grace", "detailsTag": "a",
        ]
        server.change { $0.write(.contacts, grace.retyped(), fields, in: me.retyped(), at: now) }
        try await client.syncNow()
        server.refuse(503, .busy, retryAfter: 0) { $0 == "/v1/accounts/\(grace)" }
        let view = client.network.liveDetails(of: grace)
        try await until { !pauses.underWay.isEmpty }
        #expect(pauses.underWay == [.days(1)])
        withExtendedLifetime(view) {}
    }

    @Test("When access is lost, details are deleted; a later answer is not stored") func lostAccess() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["country": "US"], tag: "a")
        _ = try await circle.network.details(of: grace)
        #expect(try circle.phone.query("SELECT * FROM details").count == 1)
        circle.tell(grace, ["asked": .null, "detailsTag": .null])
        try await circle.phone.client.syncNow()
        #expect(try circle.phone.query("SELECT * FROM details").isEmpty)
        // Connected again, and lost while the answer is on its way.
        circle.tell(grace, ["asked": .integer(circle.now.milliseconds), "detailsTag": "a"])
        try await circle.phone.client.syncNow()
        let phone = circle.phone
        circle.people.change {
            $0.meanwhile = {
                circle.tell(grace, ["asked": .null, "detailsTag": .null])
                try phone.round()
            }
        }
        _ = try await circle.network.details(of: grace)
        #expect(try circle.phone.query("SELECT * FROM details").isEmpty)
    }

    @Test("Details are deleted with the connection, even if the contact still refers to them") func connectionOver()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace", ["detailsTag": "a"])
        circle.shows(grace, ["country": "US"], tag: "a")
        _ = try await circle.network.details(of: grace)
        #expect(try circle.phone.query("SELECT * FROM details").count == 1)
        circle.tell(grace, ["asked": .null])
        try await circle.phone.client.syncNow()
        #expect(try circle.phone.query("SELECT * FROM details").isEmpty)
    }

    @Test("Details are not fetched if there are none, and each time for a stranger") func without() async throws {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace")
        #expect(try await circle.network.details(of: grace).profile.given == "Grace")
        #expect(!circle.phone.server.requests.contains { $0.path.hasPrefix("/v1/accounts/") })
        let stranger = Circle.person(9)
        #expect(await code { _ = try await circle.network.details(of: stranger) } == .notFound)
        circle.shows(stranger, ["given": "Eve"], tag: nil)
        #expect(try await circle.network.details(of: stranger).profile.given == "Eve")
        #expect(try circle.phone.query("SELECT * FROM details").isEmpty)
        // So too of one who was removed, and whose empty record stays.
        circle.tell(grace, ["wish": "none", "asked": .null, "given": .null])
        try await circle.phone.client.syncNow()
        #expect(await code { _ = try await circle.network.details(of: grace) } == .notFound)
        circle.people.change { $0.isAway = true }
        #expect(await code { _ = try await circle.network.details(of: stranger) } == .offline)
    }

    @Test("Trap: Search returns nil for “error” and for “nothing found” alike") func directory() async throws {
        let circle = try await Circle()
        #expect(try await circle.network.searchDirectory("Ada").people.isEmpty)
        let ada = ShownProfile(account: Circle.person(2), fields: ["given": "Ada"], isBot: false, detailsTag: nil)
        circle.people.change { $0.directory = DirectoryAnswer(people: [ada]) }
        let found = try await circle.network.searchDirectory("Zoë O’Brien & ?")
        #expect(found.people.map(\.profile.given) == ["Ada"] && !found.hasMore)
        #expect(circle.phone.server.requests.last?.path == "/v1/directory?name=Zo%C3%AB%20O%E2%80%99Brien%20%26%20%3F")
        circle.people.change { $0.directory = DirectoryAnswer(people: [ada], more: true) }
        #expect(try await circle.network.searchDirectory("Ada").hasMore)
        circle.people.change { $0.isAway = true }
        #expect(await code { _ = try await circle.network.searchDirectory("Ada") } == .offline)
        let many = (0...Limits.directoryWords).map { "ab\($0)" }.joined(separator: " ")
        #expect(await code { _ = try await circle.network.searchDirectory(many) } == .invalid)
        #expect(await code { _ = try await circle.network.searchDirectory("A 1") } == .invalid)
    }

    @Test("A local search finds words by their beginnings, without accents, in any order") func local() async throws {
        let circle = try await Circle()
        try await circle.friend(2, "Zoë", ["family": "O’Brien-Ångström", "company": "Straße AG"])
        try await circle.friend(3, "Bob", ["nick": "zo"])
        func found(_ text: String) async throws -> [String?] { try await circle.network.search(text).map(\.given) }
        #expect(try await found("zo") == ["Bob", "Zoë"])
        #expect(try await found("ang ZOE") == ["Zoë"])
        #expect(try await found("strasse") == ["Zoë"])
        #expect(try await found("rien") == [])
        #expect(try await found(" ") == [])
    }

    @Test("A network is read by one index, in the order of names") func plan() async throws {
        let circle = try await Circle()
        try await circle.friend(2, "Zoë")
        try await circle.friend(3, "ada")
        try await circle.friend(4, "Émile")
        #expect(try await circle.network.contacts().map(\.given) == ["ada", "Émile", "Zoë"])
        let plan = try circle.phone.query(
            "EXPLAIN QUERY PLAN SELECT id FROM contact WHERE account = 1 AND NOT removed ORDER BY id")
        #expect(
            plan.map { $0["detail"] as String } == ["SEARCH contact USING INDEX sqlite_autoindex_contact_1 (account=?)"]
        )
    }

    @Test("People are ordered by their whole names, then by id; those without a name are last") func order()
        async throws
    {
        let circle = try await Circle()
        try await circle.friend(2, "", ["nick": .null])
        try await circle.friend(3, "Maximilian", ["family": "Huber"])
        try await circle.friend(4, "Maximilian", ["family": "Gruber"])
        try await circle.friend(5, "Max")
        try await circle.friend(6, "Max")
        try await circle.friend(7, "Maxim")
        try await circle.friend(8, "王")
        let shown = try await circle.network.contacts()
        #expect(shown.map(\.id) == [5, 6, 7, 4, 3, 8, 2].map { Circle.person($0) })
    }

    @Test("A thousand people arrive in one round, are announced at once, and are read quickly") func manyPeople()
        async throws
    {
        let server = FakeServer(page: 2_000)
        let circle = try await Circle(server)
        let (me, now) = (circle.me, circle.now)
        server.change { world in
            for number in 0..<1_000 as Range<UInt64> {
                world.write(
                    .contacts, Circle.person(number + 10).retyped(),
                    ["wish": "connect", "asked": 1, "given": .text("Person \(number)"), "status": "Here"],
                    in: me.retyped(), at: now)
            }
        }
        // A second device of the account reads all of it as one page.
        let other = try Phone(server, seed: 9)
        var changes = other.client.network.changes().makeAsyncIterator()
        _ = await changes.next()
        _ = try await other.client.session.activate(token: try #require(await circle.phone.client.session.token()))
        try await other.client.syncNow()
        #expect(await changes.next()?.added.count == 1_000)
        #expect(try await other.client.network.contacts().count == 1_000)
        #expect(try await other.client.network.search("person 99").count == 11)
        // Nothing of it is told, or written, a second time.
        try other.execute("UPDATE feed SET isDoubtful = 1")
        try await other.client.syncNow()
        try await other.client.network.mute(Circle.person(10))
        var next = await changes.next()
        while next?.updated.isEmpty == true, next?.added.isEmpty == true, next?.isPopulated == true {
            next = await changes.next()
        }
        #expect(next?.updated.map(\.keys) == [[.muted]])
    }
}
