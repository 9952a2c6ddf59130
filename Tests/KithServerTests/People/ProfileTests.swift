import Foundation
import KithModel
import KithServer
import Testing

@Suite("What people see of each other", .timeLimit(.minutes(15)))
struct ProfileTests {
    private let ada: Fields = [
        "given": "Ada", "family": "King", "status": "Counting", "company": "Analytical Engines",
        "phones": .array([.object(["value": .text("+41 44 668 18 00")])]), "companyVisibility": "nobody",
        "phonesVisibility": "network", "isListed": true,
    ]

    @Test("A stranger sees public parts, the network sees more, and nobody sees hidden parts") func scopes()
        async throws
    {
        try await Village.run { village in
            let ada = try await village.person(ada)
            let (grace, stranger) = (try await village.person(), try await village.person())
            try await village.connect(ada, grace)
            func shown(to viewer: TestDevice) async throws -> ShownProfile {
                try await village.get("/v1/accounts/\(ada.account)", by: viewer).decoded()
            }
            let everyone = try await shown(to: stranger)
            #expect(everyone.fields == ["given": "Ada", "family": "King"])
            #expect(everyone.detailsTag == nil && !everyone.isBot && everyone.account == ada.account)
            let network = try await shown(to: grace)
            #expect(Set(network.fields.keys) == ["given", "family", "status", "phones"])
            #expect(network.detailsTag != nil)
            #expect(try await shown(to: ada).fields["company"] == "Analytical Engines")
        }
    }

    @Test("A person whose request is unanswered is still a stranger") func waiting() async throws {
        try await Village.run { village in
            let ada = try await village.person(ada)
            var grace = try await village.person()
            try await village.set(["wish": "connect"], of: ada.account, by: &grace)
            let shown: ShownProfile = try await village.get("/v1/accounts/\(ada.account)", by: grace).decoded()
            #expect(shown.fields["status"] == nil)
        }
    }

    @Test("An unknown account is 404, and so is an invalid id") func unknown() async throws {
        try await Village.run { village in
            let ada = try await village.person()
            for path in ["/v1/accounts/\(UUID().text)", "/v1/accounts/\(UUID().text)/presence", "/v1/accounts/ada"] {
                try problem(in: try await village.get(path, by: ada), 404, .notFound)
            }
            var list = ada
            let groceries = try await list.makeList("Groceries", with: village.server)
            try problem(in: try await village.get("/v1/accounts/\(groceries)", by: ada), 404, .notFound)
        }
    }

    @Test("The operator marks accounts that are programs") func bots() async throws {
        try await Village.run { village in
            let (bot, ada) = (try await village.person(), try await village.person())
            try await village.database.write {
                try $0.execute("UPDATE account SET is_bot = 1 WHERE id = ?", [.id(bot.account)])
            }
            #expect(
                try await village.get("/v1/accounts/\(bot.account)", by: ada).decoded(as: ShownProfile.self).isBot)
        }
    }

    @Test("A block cannot be detected: the blocked person gets exactly the same bytes")
    func blocked() async throws {
        try await Village.run { village in
            var ada = try await village.person(ada)
            let grace = try await village.person()
            try await village.connect(ada, grace)
            let hash = try await picture(of: &ada, village)
            let paths = [
                "/v1/accounts/\(ada.account)", "/v1/accounts/\(ada.account)/presence",
                "/v1/accounts/\(ada.account)/picture/small", "/v1/accounts/\(ada.account)/picture/large",
                "/v1/directory?name=ada",
            ]
            func answers() async throws -> [Reply] {
                var replies: [Reply] = []
                for path in paths { replies.append(try await village.get(path, by: grace)) }
                return replies
            }
            let before = try await answers()
            try #require(before.allSatisfy { $0.status == 200 })
            #expect(before[2].head["etag"] == "\"\(hash)\"")
            try await village.set(["isBlocked": true], of: grace.account, by: &ada)
            let after = try await answers()
            for (before, after) in zip(before, after) {
                #expect(before.status == after.status)
                if before.head["content-type"] == "application/json" {
                    // Swift's encoder does not keep the order of keys.
                    let values = try [before, after].map { try JSONDecoder().decode(Fields.self, from: $0.body) }
                    #expect(values[0] == values[1] && before.body.count == after.body.count)
                } else {
                    #expect(before.body == after.body)
                }
                let names = { (reply: Reply) in reply.head.fields.filter { $0.key != "date" } }
                #expect(names(before) == names(after))
            }
        }
    }

    private func picture(of device: inout TestDevice, _ village: Village) async throws -> String {
        let bytes = Data([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 500))
        let hash = Hex.text(Secret.sha256(bytes))
        let reply = try await village.server.ask(
            "PUT", "/v1/pictures/\(hash)", token: device.session.token, headers: ["Content-Type": "image/jpeg"],
            body: bytes)
        try #require(reply.status == 204)
        try await village.set(["pictureSmall": .text(hash), "pictureLarge": .text(hash)], of: &device)
        return hash
    }
}
