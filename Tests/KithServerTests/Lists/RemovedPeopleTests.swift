import Foundation
import KithModel
import KithServer
import Testing

@Suite("People that a list's owner has removed") struct RemovedPeopleTests {
    let town: Town
    var ada: Phone
    var ben: Phone
    let list: FeedID

    init() throws {
        (town, ada, list) = try Town.withList()
        ben = try town.phone()
        try town.join(ben, list, of: ada, as: .editor)
    }

    private func link() throws -> String {
        let request = LinkRequest(role: .editor)
        let made = try town.links.create(
            request, for: list.retyped(), by: ada.account, at: town.now)
        return made.value.token ?? ""
    }

    private func accept(_ token: String) throws {
        _ = try town.links.accept(token, by: ben.account, at: town.now)
    }

    private func removed() throws -> [RemovedPerson] {
        try town.links.removed(of: list.retyped(), by: ada.account, at: town.now)
    }

    private mutating func remove() throws { try ada.sync(ada.mutation(list, .members, ben.me, .delete)) }

    @Test("cannot come back by an old link, nor by a new one, until the owner lets them in again")
    mutating func keptOut() throws {
        let old = try link()
        try ben.sync(ben.mutation(list, .members, ben.me, .set(["name": "Ben"])))
        town.pass(.seconds(5))
        try remove()
        for token in [old, try link()] {
            let error = #expect(throws: ServerError.self) { try accept(token) }
            #expect(error?.code == .forbidden && error?.sentence.contains("let you in") == true)
        }
        #expect(try town.role(ben.account, list) == nil)
        #expect(try removed() == [RemovedPerson(account: ben.account, name: "Ben", removed: town.now)])

        try town.links.letIn(ben.account, to: list.retyped(), by: ada.account, at: town.now)
        #expect(try removed().isEmpty)
        try accept(old)
        #expect(try town.role(ben.account, list) == .editor)
    }

    @Test("do not include people who left by themselves, in either way") mutating func left() throws {
        let token = try link()
        try ben.sync(ben.leave(list))
        try accept(token)
        try ben.sync()
        try ben.sync(ben.mutation(list, .members, ben.me, .delete))
        try accept(token)
        #expect(try removed().isEmpty)
        #expect(try town.role(ben.account, list) == .editor)
    }

    @Test("include people who were removed in an accepted group, not in a refused one") mutating func group() throws {
        let refused = ada.mutation(list, .items, town.id(), .set(["position": "a0"]))
        try ada.sync([ada.mutation(list, .members, ben.me, .delete), refused], grouped: true)
        #expect(try removed().isEmpty)
        #expect(try town.role(ben.account, list) == .editor)
    }

    @Test("Law 8: Only the owner sees them and lets them in; to others there is no such list")
    mutating func ownerOnly() throws {
        try remove()
        let cleo = try town.phone()
        try town.join(cleo, list, of: ada, as: .editor)
        for account in [ben.account, cleo.account] {
            #expect(throws: ServerError.self) {
                try town.links.removed(of: list.retyped(), by: account, at: town.now)
            }
            let error = #expect(throws: ServerError.self) {
                try town.links.letIn(ben.account, to: list.retyped(), by: account, at: town.now)
            }
            #expect(error?.code == .notFound)
        }
        let error = #expect(throws: ServerError.self) {
            try town.links.letIn(cleo.account, to: list.retyped(), by: ada.account, at: town.now)
        }
        #expect(error?.code == .notFound, "Nobody keeps Cleo out.")
        #expect(try removed().map(\.account) == [ben.account])
    }

    @Test("are forgotten with the list, with their account, and beyond a thousand per list")
    mutating func forgotten() throws {
        let rows: [[SQLValue]] = (0..<Limits.removedPeople).map { number in
            [.id(list), .id(town.id(Account.self)), .null, .integer(Int64(number))]
        }
        try town.database.writeNow { try $0.insert(into: "removed", ["list", "account", "name", "since"], rows) }
        try remove()
        let kept = try removed()
        #expect(kept.count == Limits.removedPeople)
        #expect(kept.first?.account == ben.account && kept.last?.removed == Timestamp(milliseconds: 1))

        try town.delete(ben.account)
        #expect(try removed().count == Limits.removedPeople - 1)
        try ada.sync(ada.mutation(list, .lists, list.retyped(), .delete))
        #expect(try town.database.readNow { try $0.query("SELECT 1 FROM removed") }.isEmpty)
    }

    @Test("are shown and let in over HTTP") func overHTTP() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let grace = try await server.newSession()
            let list = try await ada.makeList("Groceries", with: server)
            let (hers, path) = (ada.session.token, "/v1/lists/\(list)/removed")
            let link: ListLink = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: hers, json: LinkRequest(role: .editor)
            ).decoded()
            let accept = "/v1/links/\(link.token ?? "")/accept"
            #expect(try await server.ask("POST", accept, token: grace.token).status == 200)
            let removal = Mutation(
                id: MutationID(UUID()), number: ada.acknowledged.number + 1, feed: list.retyped(), collection: .members,
                record: grace.account.retyped(), seen: 0, change: .delete)
            try await ada.sync([removal], with: server)

            let refused = try await server.ask("POST", accept, token: grace.token)
            try problem(in: refused, 403, .forbidden)
            let shown: RemovedPeople = try await server.ask("GET", path, token: hers).decoded()
            #expect(shown.people.map(\.account) == [grace.account])
            try problem(in: try await server.ask("GET", path, token: grace.token), 404, .notFound)
            #expect(try await server.ask("DELETE", "\(path)/\(grace.account)", token: hers).status == 204)
            try problem(in: try await server.ask("DELETE", "\(path)/\(grace.account)", token: hers), 404, .notFound)
            #expect(try await server.ask("POST", accept, token: grace.token).status == 200)
        }
    }
}
