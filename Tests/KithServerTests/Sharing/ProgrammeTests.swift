import Foundation
import KithModel
import KithServer
import Testing

@Suite("Programmes on the server") struct ProgrammeTests {
    private static let parts = #"""
        \#(SharingWorld.rewards),
        "shares":{"email":{"subject":{"en":"Tea","de":"Tee"},"text":{"en":"{{link}}"}}},
        "zones":[
            {"name":"hint","audience":["anonymous"],"content":{"a":1}},
            {"name":"banner","audience":["anonymous","identified"],"content":{}}
        ]
        """#

    @Test("An app gets the programmes in its language, with the zones for its account")
    func shown() async throws {
        let world = try SharingWorld(Self.parts)
        try await TestServer.run(database: world.town.database) { server in
            let session = try await server.newSession()
            let reply = try await server.ask(
                "GET", "/v1/programmes", token: session.token, headers: ["Accept-Language": "it, de-AT;q=0.8"])
            let list: ShareProgrammeList = try reply.decoded()
            let programme = try #require(list.programmes.first)
            #expect(list.programmes.count == 1 && programme.name == "friends" && !programme.isPaused)
            #expect(programme.title == "Bring a friend" && programme.advocateReward?.title == "Gutschein über 5 €")
            #expect(programme.shares[.email]?.subject == "Tee" && programme.zones.map(\.name) == ["hint", "banner"])
            try world.prove("mailto:ada@example.com", by: Phone(world.town, account: session.account))
            try world.pause()
            let later: ShareProgrammeList = try await server.ask("GET", "/v1/programmes", token: session.token)
                .decoded()
            #expect(later.programmes.first?.zones.map(\.name) == ["banner"])
            #expect(
                later.programmes.first?.isPaused == true && later.programmes.first?.shares[.email]?.subject == "Tea")
        }
    }

    @Test("A server without a programme has an empty list")
    func none() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let list: ShareProgrammeList = try await server.ask("GET", "/v1/programmes", token: session.token).decoded()
            #expect(list.programmes.isEmpty)
            #expect(try await server.ask("GET", "/v1/programmes").status == 401)
        }
    }

    @Test("A programme is created once, is replaced only if asked, and stays paused")
    func service() async throws {
        let world = try SharingWorld(nil)
        let (service, now) = (ProgrammeService(database: world.town.database), world.town.now)
        func file(_ title: String) -> Data {
            Data(#"{"name":"friends","title":{"en":"\#(title)"},"text":{"en":"Tea"}}"#.utf8)
        }
        let created = try await service.create(file("One"), at: now)
        #expect(created.programme.title == ["en": "One"] && created.created == now && !created.programme.isPaused)
        let twice = await #expect(throws: ServerError.self) { try await service.create(file("Two"), at: now) }
        #expect(twice?.code == .conflict)
        #expect(try await service.setPaused(true, "friends", at: now).programme.isPaused)
        let replaced = try await service.create(file("Two"), replacing: true, at: now + .days(1))
        #expect(replaced.programme.title == ["en": "Two"] && replaced.programme.isPaused && replaced.created == now)
        #expect(replaced.changed == now + .days(1))
        #expect(try await service.list() == [replaced])
        #expect(try await service.show("friends") == replaced)
        let unknown = await #expect(throws: ServerError.self) { try await service.setPaused(true, "other", at: now) }
        #expect(unknown?.code == .notFound)
    }

    /// A world with the programme `friends` and one of a newer version, in which Ada has a code.
    private func newer() throws -> (world: SharingWorld, ada: Phone) {
        let world = try SharingWorld()
        try world.addProgramme("newer", #""later":1"#)
        var ada = try world.person("Ada")
        let outcomes = try ada.outcomes(ada.shareable("ADA-TEA"), ada.shareable("ADA-NEW", in: "newer"))
        #expect(outcomes == ["applied", "applied"])
        return (world, ada)
    }

    @Test("Trap: A programme of a newer version counts as paused – apps, pages and the operator see it")
    func newerShown() async throws {
        let (world, _) = try newer()
        let (service, now) = (ProgrammeService(database: world.town.database), world.town.now)
        let listed = try await service.list()
        #expect(listed.map(\.programme.name) == ["friends", "newer"])
        #expect(listed.map(\.programme.isPaused) == [false, true] && listed.first?.fault == nil)
        #expect(listed.last?.fault?.contains("$.later") == true)
        #expect(try await service.setPaused(true, "newer", at: now) == service.show("newer"))
        try await TestServer.run(database: world.town.database) { server in
            let session = try await server.newSession()
            let list: ShareProgrammeList = try await server.ask("GET", "/v1/programmes", token: session.token).decoded()
            #expect(list.programmes.map(\.title) == ["Bring a friend", "newer"])
            #expect(list.programmes.map(\.isPaused) == [false, true])
            #expect(try await server.ask("GET", "/s/ADA-NEW").status == 200)
            #expect(server.log.text.contains("$.later"))
        }
    }

    @Test("Trap: A programme of a newer version holds up no other – its codes wait until it can be read")
    func newerHeld() async throws {
        let (world, advocate) = try newer()
        var (ada, ben) = (advocate, try world.person("Ben"))
        let town = world.town
        try ben.sync(ben.use("ADA-TEA"), ben.use("ADA-NEW"))
        town.pass(.seconds(60))
        try town.prove("mailto:ben@example.com", by: ben)
        let service = SharingService(database: town.database, signals: .none, dependencies: world.dependencies)
        let joined = town.now
        #expect(await errorCode { try await service.work(at: joined) } == .internalError)
        try ada.sync()
        try ben.sync()
        #expect(ada.referrals.count == 1 && ada.rewards.count == 1)
        #expect(ben.claims.map(\.status) == [.bound, .open])
        let file = Data(#"{"name":"newer","title":{"en":"New"},"text":{"en":"Tea"}}"#.utf8)
        _ = try await ProgrammeService(database: town.database).create(file, replacing: true, at: joined)
        try await service.work(at: joined + .seconds(3_600))
        try ada.sync()
        try ben.sync()
        #expect(ada.referrals.map(\.programme) == ["friends", "newer"])
        #expect(ben.claims.map(\.status) == [.bound, .bound])
    }

    @Test("Trap: A sign-up waits for a programme of a newer version – a code that is used days later is too late")
    func newerLate() async throws {
        let (world, advocate) = try newer()
        var (ada, ben) = (advocate, try world.person("Ben"))
        let town = world.town
        let service = SharingService(database: town.database, signals: .none, dependencies: world.dependencies)
        try ben.sync(ben.use("ADA-NEW"))
        try town.prove("mailto:ben@example.com", by: ben)
        let joined = town.now
        #expect(await errorCode { try await service.work(at: joined) } == .internalError)
        town.pass(.days(2))
        try ben.sync(ben.use("ADA-TEA"))
        let later = town.now
        #expect(await errorCode { try await service.work(at: later) } == .internalError)
        try ada.sync()
        try ben.sync()
        #expect(ada.referrals.isEmpty && ben.claims.map(\.status) == [.open, .refused(.tooLate)])
    }
}
