import Foundation
import KithModel
import KithServer
import Testing

@Suite("The directory finds listed people", .timeLimit(.minutes(15)))
struct DirectoryTests {
    private func names(_ query: String, by device: TestDevice, _ village: Village) async throws -> [String] {
        let encoded = try #require(query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let reply = try await village.get("/v1/directory?name=\(encoded)", by: device)
        try #require(reply.status == 200)
        return try reply.decoded(as: DirectoryAnswer.self).people.map { shown in
            ["given", "family", "nick"].compactMap { shown.fields[$0]?.text }.joined(separator: " ")
        }
    }

    @Test("Words match the beginnings of names in any order, ignoring case and accents") func folding() async throws {
        try await Village.run { village in
            let me = try await village.person()
            _ = try await village.person(["given": "Zoë", "family": "O’Brien-Ångström", "isListed": true])
            _ = try await village.person(["given": "Jörg", "family": "Weiß", "nick": "Łukasz", "isListed": true])
            _ = try await village.person(["given": "小明", "family": "王", "isListed": true])
            let zoe = "Zoë O’Brien-Ångström"
            for query in ["zoe", "ZOË", "angst zo", "o'brien", "OBRIEN zoe", "zo+an".replacing("+", with: " ")] {
                #expect(try await names(query, by: me, village) == [zoe], "\(query)")
            }
            for query in ["weiss", "WEIẞ", "jorg", "lukasz weis"] {
                #expect(try await names(query, by: me, village) == ["Jörg Weiß Łukasz"], "\(query)")
            }
            #expect(try await names("小明", by: me, village) == ["小明 王"])
            #expect(try await names("zoe weiss", by: me, village).isEmpty)
            #expect(try await names("ngstrom", by: me, village).isEmpty)
        }
    }

    @Test("It finds only listed people with a name that everyone may see, and never oneself")
    func whoIsListed() async throws {
        try await Village.run { village in
            var ada = try await village.person(["given": "Ada", "family": "King", "isListed": true])
            let me = try await village.person(["given": "Adam", "isListed": true])
            _ = try await village.person(["given": "Adele"])
            _ = try await village.person(["given": "Adi", "isListed": true, "givenVisibility": "network"])
            #expect(try await names("ad", by: me, village) == ["Ada King"])
            try await village.set(["familyVisibility": "network"], of: &ada)
            #expect(try await names("king", by: me, village).isEmpty)
            #expect(try await names("ad", by: me, village) == ["Ada"])
            try await village.set(["given": "Augusta"], of: &ada)
            #expect(try await names("ad", by: me, village).isEmpty)
            #expect(try await names("augusta", by: me, village) == ["Augusta"])
            try await village.set(["isListed": false], of: &ada)
            #expect(try await names("augusta", by: me, village).isEmpty)
        }
    }

    @Test("Trap: nil both for an error and for no result – an error has a reason, no result is empty")
    func errors() async throws {
        try await Village.run { village in
            let me = try await village.person()
            #expect(try await names("nobody", by: me, village).isEmpty)
            let many = (0...Limits.directoryWords).map { "w\($0)" }.joined(separator: "%20")
            for query in [
                "", "?name", "?name=", "?name=a", "?name=%20-", "?name=a%20b", "?name=ab&name=cd", "?name=%ff",
                "?name=\(String(repeating: "a", count: Limits.directoryName + 1))", "?name=\(many)",
            ] {
                let reply = try await village.get("/v1/directory" + query, by: me)
                try problem(in: reply, 400, .malformed)
                #expect(try reply.decoded(as: Problem.self).path == "?name")
            }
            try problem(in: try await village.server.ask("GET", "/v1/directory?name=ada"), 401, .tokenMissing)
        }
    }

    @Test("Fifty people are listed by name, and the answer says that there are more") func limit() async throws {
        try await Village.run { village in
            let me = try await village.person()
            let people = (0...Limits.directory).map { "Ada \(String(UnicodeScalar(UInt8(97 + $0 / 26))))x\($0)" }
            var ids: [AccountID] = []
            for name in people {
                ids.append(try await village.person(["given": .text(name), "isListed": true]).account)
            }
            let answer: DirectoryAnswer = try await village.get("/v1/directory?name=ada", by: me).decoded()
            #expect(answer.people.count == Limits.directory && answer.more == true)
            let shown = answer.people.compactMap { $0.fields["given"]?.text }
            #expect(shown == shown.sorted())
            let fewer: DirectoryAnswer = try await village.get("/v1/directory?name=ada+b", by: me).decoded()
            #expect(fewer.people.count == Limits.directory + 1 - 26 && fewer.more == nil)
        }
    }

    @Test("A name's words, without repeats") func words() {
        #expect(DirectoryName("  Zoë-Zoe  O’Neill, ÆØŁ3 ").words == ["zoe", "oneill", "aeol3"])
        #expect(DirectoryName("—…! ").words.isEmpty)
    }
}
