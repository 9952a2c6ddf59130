import Foundation
import KithModel
import KithServer
import Testing

@Suite("Every request that fails gets a problem that says why", .timeLimit(.minutes(15)))
struct ProblemTests {
    @Test("An unreadable request is malformed, with the path of the fault")
    func malformed() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let bodies: [(String, path: String?)] = [
                (#"{"account":"#, "$.account"), ("", "$"), ("[]", "$"), ("{}", "$.account"),
                (#"{"account":7}"#, "$.account"),
                (#"{"account":"\#(session.account)","device":"nobody"}"#, "$.device"),
                (round(session, #"{"id":"\#(UUID())","number":1,"feed":"x"}"#), "$.mutations[0].feed"),
                (
                    round(
                        session,
                        change(#""set":{"title":1e999}"#)
                    ), "$.mutations[0].set.title"
                ),
                (round(session, change(number: 7)), nil),
            ]
            for (body, path) in bodies {
                let reply = try await server.ask(
                    "POST", "/v1/sync", token: session.token, headers: ["Content-Type": "application/json"],
                    body: Data(body.utf8))
                let problem = try problem(in: reply, 400, .malformed)
                if let path {
                    #expect(problem.path == path, "\(body)")
                } else {
                    #expect(problem.path?.hasPrefix("$") == true)
                }
            }
        }
    }

    @Test("A body that is not UTF-8, not JSON or not of its declared type is malformed")
    func wrongForm() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let attempts: [([String: String], Data)] = [
                (
                    ["Content-Type": "application/json"],
                    Data(#"{"account":""#.utf8) + Data([0xFF, 0xFE]) + Data(#""}"#.utf8)
                ),
                (["Content-Type": "text/plain"], Data("{}".utf8)),
                ([:], Data("{}".utf8)),
                (["Content-Type": "application/json", "Content-Encoding": "br"], Data("{}".utf8)),
                (["Content-Type": "application/json", "Content-Encoding": "gzip"], Data("{}".utf8)),
            ]
            for (headers, body) in attempts {
                let reply = try await server.ask("POST", "/v1/sync", token: session.token, headers: headers, body: body)
                _ = try problem(in: reply, 400, .malformed)
            }
            let noDevice = try await server.ask("GET", "/v1/live", token: session.token)
            #expect(try problem(in: noDevice, 400, .malformed).path == "?device")
            let oddDevice = try await server.ask("GET", "/v1/live?device=phone", token: session.token)
            #expect(try problem(in: oddDevice, 400, .malformed).path == "?device")
        }
    }

    @Test("A list that is named twice in the deletion of an account is malformed, and nothing is deleted")
    func namedTwice() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let decisions = [ListDecision.delete, .handOverToEditor].map {
                AccountDeletion.Entry(list: ListID(session.account.uuid), decision: $0)
            }
            let reply = try await server.ask(
                "POST", "/v1/account/deletion", token: session.token, json: AccountDeletion(lists: decisions))
            #expect(try problem(in: reply, 400, .malformed).path == "$.lists[1].list")
            #expect(try await server.ask("GET", "/v1/session", token: session.token).status == 200)
        }
    }

    @Test("Without a session there is 401, and WWW-Authenticate says which kind is needed")
    func unauthorized() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let missing = try await server.ask("GET", "/v1/session")
            _ = try problem(in: missing, 401, .tokenMissing)
            #expect(missing.head["www-authenticate"] == #"Bearer realm="Kith""#)
            for token in ["nonsense", session.token + "x", String(session.token.dropLast())] {
                let invalid = try await server.ask("GET", "/v1/session", token: token)
                _ = try problem(in: invalid, 401, .tokenInvalid)
                #expect(invalid.head["www-authenticate"]?.contains("invalid_token") == true)
            }
            #expect(try await server.ask("DELETE", "/v1/session", token: session.token).status == 204)
            let revoked = try await server.ask("GET", "/v1/session", token: session.token)
            _ = try problem(in: revoked, 401, .tokenInvalid)
        }
    }

    @Test("Law 8: One account's outbox is never taken as another's")
    func accountMismatch() async throws {
        try await TestServer.run { server in
            let (ada, grace) = (try await server.newSession(), try await server.newSession())
            let reply = try await server.ask("POST", "/v1/sync", token: grace.token, json: TestDevice(ada).request())
            _ = try problem(in: reply, 403, .accountMismatch)
        }
    }

    @Test("Law 8: Missing and forbidden resources get the same answer")
    func notFound() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let list = try await ada.makeList("Secret", with: server)
            let grace = try await server.newSession()
            let hidden = try await server.ask("GET", "/v1/lists/\(list)/links", token: grace.token)
            let absent = try await server.ask("GET", "/v1/lists/\(UUID().uuidString)/links", token: grace.token)
            let (first, second) = (try problem(in: hidden, 404, .notFound), try problem(in: absent, 404, .notFound))
            #expect(first.detail == second.detail)
            for path in [
                "/v1", "/v1/", "/v2/sync", "/v1/sync/", "/v1/lists/milk/links", "/v1/links/%20", "/health/x",
            ] {
                _ = try problem(in: try await server.ask("GET", path, token: grace.token), 404, .notFound)
            }
        }
    }

    @Test("A path that has other methods names them")
    func methodNotAllowed() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/v1/session")
            _ = try problem(in: reply, 405, .methodNotAllowed)
            #expect(reply.head["allow"] == "GET, DELETE, PUT, HEAD")
            #expect(try await server.ask("OPTIONS", "/v1/sync").head["allow"] == "POST")
        }
    }

    @Test("Links: the owner cannot join their own list, and an expired link is gone")
    func links() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let list = try await ada.makeList("Groceries", with: server)
            let made = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: ada.session.token,
                json: LinkRequest(role: .editor, expiresIn: 60))
            #expect(made.status == 201)
            let link: ListLink = try made.decoded()
            let token = try #require(link.token)
            #expect(link.url == "\(server.url.absoluteString)/v1/links/\(token)")

            let own = try await server.ask("POST", "/v1/links/\(token)/accept", token: ada.session.token)
            _ = try problem(in: own, 409, .conflict)
            let preview: LinkPreview = try await server.ask("GET", "/v1/links/\(token)").decoded()
            #expect(preview.name == "Groceries")
            server.clock.advance(.seconds(61))
            _ = try problem(in: try await server.ask("GET", "/v1/links/\(token)"), 410, .linkExpired)
        }
    }

    @Test("A link cannot be asked for beyond its limits", arguments: [-1, 0, 365 * 86_400 + 1, .min, .max] as [Int64])
    func expiry(seconds: Int64) async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let list = try await ada.makeList("Groceries", with: server)
            let reply = try await server.ask(
                "POST", "/v1/lists/\(list)/links", token: ada.session.token,
                json: LinkRequest(role: .editor, expiresIn: seconds))
            #expect(try problem(in: reply, 400, .malformed).path == "$.expiresIn")
        }
    }

    @Test("Numbers at the limits of their range do no harm", arguments: [.min, .max] as [Int64])
    func extremes(number: Int64) async throws {
        try await TestServer.run { server in
            var device = TestDevice(try await server.newSession())
            let session = device.session
            let list = try await device.makeList("Groceries", with: server)
            let bodies = [
                round(session, "", acknowledged: number), round(session, "", sent: number),
                round(
                    session,
                    change(#""add":{"count":\#(number)},"set":{"title":"Tea","position":"a0"}"#, feed: "\(list)")),
                round(session, change(#""set":{"count":\#(number),"title":"Tea","position":"a0"}"#, feed: "\(list)")),
                round(session, change(seen: number)),
                round(session, change(#""set":{"title":"Tea"}"#, age: number)),
                round(session, change(number: number)),
                round(session, change(#""group":\#(number),"delete":true"#)),
            ]
            for body in bodies {
                let reply = try await server.ask(
                    "POST", "/v1/sync", token: session.token, headers: ["Content-Type": "application/json"],
                    body: Data(body.utf8))
                #expect([200, 400].contains(reply.status), "\(body)")
            }
            #expect(try await server.ask("GET", "/health").status == 200)
        }
    }

    @Test("A body that is too large and too many mutations are refused as a whole")
    func tooMuch() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let large = Data(repeating: UInt8(ascii: " "), count: Limits.body + 1)
            let json = ["Content-Type": "application/json"]
            let reply = try await server.ask("POST", "/v1/sync", token: session.token, headers: json, body: large)
            _ = try problem(in: reply, 413, .tooLarge)
            let bomb = try Gzip.compress(Data(count: 50_000_000))
            #expect(bomb.count < Limits.body)
            let packed = try await server.ask(
                "POST", "/v1/sync", token: session.token, headers: json.merging(["Content-Encoding": "gzip"]) { $1 },
                body: bomb)
            _ = try problem(in: packed, 413, .tooLarge)

            let device = TestDevice(session)
            let list = ListID(UUID())
            let many = (1...501).map {
                device.mutation(Int64($0), .items, UUID(), in: list, set: ["title": "Tea", "position": "a0"])
            }
            let crowded = try await server.ask("POST", "/v1/sync", token: session.token, json: device.request(many))
            _ = try problem(in: crowded, 422, .tooMany)
        }
    }

    @Test("An unavailable database is 503 with Retry-After, an internal error 500; the log has the cause under the id")
    func ours() async throws {
        let broken = BrokenDatabase(error: ServerError(.busy, "The database is away."))
        try await TestServer.run(database: broken) { server in
            let reply = try await server.ask("POST", "/v1/sessions")
            _ = try problem(in: reply, 503, .busy)
            #expect(reply.head["retry-after"] == "1")
            let unready = try problem(in: try await server.ask("GET", "/ready"), 503, .busy)
            #expect(unready.server == broken.server)
            #expect(try await server.ask("GET", "/health").status == 200)
            let metrics = String(decoding: try await server.ask("GET", "/metrics").body, as: UTF8.self)
            #expect(!metrics.contains("kith_database_errors_total 0"))
        }
        struct Secret: Error {}
        try await TestServer.run(database: BrokenDatabase(error: Secret())) { server in
            let reply = try await server.ask("POST", "/v1/sessions")
            let problem = try problem(in: reply, 500, .internalError)
            #expect(!String(decoding: reply.body, as: UTF8.self).contains("Secret"))
            let line = server.log.text.split(separator: "\n").first { $0.contains(problem.id) }
            #expect(line?.contains("Secret") == true)
        }
    }

    @Test("A server gives its id when it is ready, to each session, and to an unknown token")
    func namesItself() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await TestServer.run(database: database) { server in
            let ready: Readiness = try await server.ask("GET", "/ready").decoded()
            #expect(ready == Readiness(server: database.server, database: "SQLite"))
            let session = try await server.newSession()
            #expect(session.server == database.server)
            let shown: SessionDescription = try await server.ask("GET", "/v1/session", token: session.token).decoded()
            #expect(shown.server == database.server)
            let foreign = try await server.ask("GET", "/v1/session", token: "of another server")
            #expect(try problem(in: foreign, 401, .tokenInvalid).server == database.server)
            #expect(try problem(in: try await server.ask("GET", "/nothing"), 404, .notFound).server == nil)
        }
    }

    @Test("Each problem's id is in the log; tokens never are")
    func logged() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let reply = try await server.ask("GET", "/v1/links/\(session.token)", token: session.token)
            let problem = try problem(in: reply, 404, .notFound)
            _ = try await server.ask("GET", "/v1/session", token: session.token)
            #expect(server.log.text.contains(problem.id))
            #expect(!server.log.text.contains(session.token))
        }
    }

    @Test("No link's secret is ever in the log, whatever is asked of it, nor what people write")
    func loggedLinks() async throws {
        try await TestServer.run { server in
            var ada = TestDevice(try await server.newSession())
            let grace = try await server.newSession()
            let list = try await ada.makeList("Surprise party", with: server)
            var secrets = [ada.session.token, grace.token, "Surprise", "zz@example.com"]
            _ = try await server.ask("DELETE", "/v1/identities/mailto%3Azz%40example.com", token: grace.token)
            for isPublic in [false, true] {
                let link: ListLink = try await server.ask(
                    "POST", "/v1/lists/\(list)/links", token: ada.session.token,
                    json: LinkRequest(role: .editor, isPublic: isPublic)
                ).decoded()
                let token = try #require(link.token)
                secrets.append(token)
                for (method, path) in [
                    ("GET", "/v1/links/\(token)"), ("POST", "/v1/links/\(token)/accept"),
                    ("GET", "/v1/public/\(token)"), ("PUT", "/v1/links/\(token)"),
                    ("GET", "/v1/links/\(token)x"), ("GET", "/v1/nothing/\(token)"),
                ] {
                    _ = try await server.ask(method, path, token: grace.token)
                }
                _ = try await server.ask(
                    "DELETE", "/v1/lists/\(list)/links/\(link.id)", token: ada.session.token)
                _ = try await server.ask("GET", "/v1/links/\(token)", token: grace.token)
            }
            #expect(server.log.text.contains("operation=acceptLink"))
            #expect(server.log.text.contains("operation=showPublicList"))
            for secret in secrets { #expect(!server.log.text.contains(secret)) }
        }
    }

    @Test("A secret in the wrong place of a request is not in the log either")
    func loggedMistake() async throws {
        try await TestServer.run { server in
            let session = try await server.newSession()
            let isValue = #"{"account":"\#(session.token)"}"#
            let isName = #"{"\#(session.token)":{"a":1,"a":2}}"#
            for (body, path) in [(isValue, "$.account"), (isName, session.token)] {
                let reply = try await server.ask(
                    "POST", "/v1/sync", token: session.token, headers: ["Content-Type": "application/json"],
                    body: Data(body.utf8))
                let told = try problem(in: reply, 400, .malformed)
                #expect(told.path?.contains(path) == true, "Its sender is told where.")
                let line = try #require(server.log.text.split(separator: "\n").first { $0.contains(told.id) })
                #expect(line.contains("operation=sync"))
                #expect(!line.contains(session.token.prefix(8)))
            }
        }
    }

    @Test(
        "A full disk is 503 with Retry-After: no partial writes, reads still work, and writes resume when there is space"
    )
    func fullDisk() async throws {
        try await Backend.file.withSQLite { database, _ in
            try await TestServer.run(database: database) { server in
                var device = TestDevice(try await server.newSession())
                let list = try await device.makeList("Groceries", with: server)
                // A limit on the pages of the file stands in for a small disk.
                try await database.write { transaction in
                    let pages = try transaction.query("PRAGMA page_count")[0].integer(0)
                    _ = try transaction.query("PRAGMA max_page_count = \(pages + 2)")
                }
                let comment = String(repeating: "Secret ingredient. ", count: 100)
                let many = (1...50).map {
                    device.mutation(
                        $0, .items, UUID(), in: list,
                        set: ["title": "Tea", "position": "a0", "comment": .text(comment)])
                }
                let token = device.session.token
                let refused = try await server.ask("POST", "/v1/sync", token: token, json: device.request(many))
                try problem(in: refused, 503, .busy)
                #expect(refused.head["retry-after"] == "60")
                #expect(server.log.text.contains("full") && !server.log.text.contains("ingredient"))

                let taken = device.acknowledged
                let answer = try await device.sync(with: server)
                #expect(device.acknowledged == taken && answer.feeds.isEmpty)
                #expect(try await server.ask("GET", "/v1/session", token: token).status == 200)
                #expect(try await server.ask("GET", "/ready").status == 503)

                try await database.write { _ = try $0.query("PRAGMA max_page_count = 1000000") }
                #expect(try await device.sync(many, with: server).outcomes.isEmpty)
                #expect(device.acknowledged.number == taken.number + 50)
            }
        }
    }

    /// A mutation as text.
    private func change(
        _ what: String = #""delete":true"#, number: Int64 = 1, seen: Int64 = 0, age: Int64 = 0, feed: String? = nil
    ) -> String {
        let ids = #""id":"\#(UUID())","feed":"\#(feed ?? "\(UUID())")","record":"\#(UUID())""#
        return #"{\#(ids),"collection":"item","number":\#(number),"seen":\#(seen),"age":\#(age),\#(what)}"#
    }

    /// A round as text, so that it can be wrong.
    private func round(
        _ session: NewSession, _ mutations: String, acknowledged: Int64 = 0, sent: Int64 = 9
    ) -> String {
        #"{"account":"\#(session.account)","device":"\#(UUID())","acknowledged":{"number":\#(acknowledged),"hash":""},"sent":\#(sent),"mutations":[\#(mutations)]}"#
    }
}

/// Reads a problem, and checks what is true of all of them.
@discardableResult
func problem(
    in reply: Reply, _ status: Int, _ code: Problem.Code, at location: SourceLocation = #_sourceLocation
) throws -> Problem {
    #expect(reply.status == status, sourceLocation: location)
    #expect(reply.head["content-type"] == "application/problem+json", sourceLocation: location)
    let problem: Problem = try reply.decoded()
    #expect(problem.status == status && problem.code == code, "\(problem.code.rawValue)", sourceLocation: location)
    #expect(!problem.id.isEmpty && !problem.detail.isEmpty && problem.type == "about:blank", sourceLocation: location)
    #expect(problem.retryAfter.map(String.init) == reply.head["retry-after"], sourceLocation: location)
    return problem
}

/// A database that always fails.
struct BrokenDatabase: Database {
    let error: any Error
    let server = ServerID(UUID())
    var hasSeveralWriters: Bool { false }

    func perform(_ work: any TransactionWork, as mode: TransactionMode) async throws { throw error }
}
