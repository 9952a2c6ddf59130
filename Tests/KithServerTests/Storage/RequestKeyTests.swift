import Foundation
import KithModel
import KithServer
import Testing

/// If the answer to a commit is lost, or an answer to a client, nobody knows whether something was made. The client sends
/// the request again with the same key.
@Suite("A request with a key", .postgresServer) struct RequestKeyTests {
    private let key: RequestKey
    private let other: RequestKey

    init() throws {
        key = try #require(RequestKey("8e03978e-40d5-43e8-bc93-6894a57f9324"))
        other = try #require(RequestKey("hM0D5yJr9GvHCDjBHuOTI_"))
    }

    private func losing(_ database: any Database, _ loss: LossyDatabase.Loss) -> LossyDatabase {
        LossyDatabase(database) { $0 == 1 ? loss : nil }
    }

    private func count(_ table: String, in database: any Database) async throws -> Int64 {
        try await database.read { try $0.query("SELECT count(*) FROM \(table)")[0].integer(0) }
    }

    // MARK: Sent again

    @Test("opens one session, whether its first commit was made or not", arguments: Backend.all, LossyDatabase.Loss.all)
    func session(backend: Backend, loss: LossyDatabase.Loss) async throws {
        try await backend.withDatabase { database in
            let sessions = SessionService(database: losing(database, loss), signals: .none)
            #expect(await errorCode { try await sessions.open(key, at: HandClock.start) } == .busy)
            let session = try await sessions.open(key, at: HandClock.start)
            #expect(try await sessions.open(key, at: HandClock.start) == session)
            #expect(try await sessions.verify(session.token)?.account == session.account)
            #expect(try await count("account", in: database) == 1)
            #expect(try await sessions.open(other, at: HandClock.start).account != session.account)
            #expect(try await sessions.open(at: HandClock.start).account != session.account)
        }
    }

    @Test("makes one link, whether its first commit was made or not", arguments: Backend.all, LossyDatabase.Loss.all)
    func link(backend: Backend, loss: LossyDatabase.Loss) async throws {
        try await backend.withDatabase { database in
            let (town, ada, list) = try Town.withList(database)
            let (owner, now, lossy) = (ada.account, town.now, losing(database, loss))
            func make(_ role: Role, _ key: RequestKey) async throws -> ListLink {
                try await lossy.write { transaction in
                    try LinkTransaction(transaction, at: now, on: lossy.server).create(
                        LinkRequest(role: role), for: list.retyped(), by: owner, key: key
                    ).value
                }
            }
            #expect(await errorCode { try await make(.editor, key) } == .busy)
            let link = try await make(.editor, key)
            #expect(try await make(.editor, key) == link)
            #expect(try town.links.preview(try #require(link.token), at: now).role == .editor)
            #expect(try town.links.links(of: list.retyped(), by: owner, at: now).map(\.id) == [link.id])
            // The key belongs to the request with its content.
            let others = [try await make(.viewer, key), try await make(.editor, other)]
            #expect(Set(others.map(\.id) + [link.id]).count == 3)
            _ = try town.links.revoke(link.id, of: list.retyped(), by: owner, at: now)
            #expect(await errorCode { try await make(.editor, key) } == .linkExpired)
        }
    }

    @Test(
        "makes one set of recovery codes and one message about it, whether its first commit was made or not",
        arguments: Backend.all, LossyDatabase.Loss.all)
    func recoveryCodes(backend: Backend, loss: LossyDatabase.Loss) async throws {
        try await backend.withDatabase { database in
            let world = try SignInWorld(database: database)
            let phone = try await world.open()
            _ = try await world.signIn("ada@example.com", by: phone)
            let recovery = RecoveryService(database: losing(database, loss), messages: world.queue, signals: .none)
            func make(_ key: RequestKey) async throws -> RecoveryCodeSet {
                try await recovery.create(
                    for: phone.account, languages: [], address: "203.0.113.7", key: key, at: world.now)
            }
            #expect(await errorCode { try await make(key) } == .busy)
            let set = try await make(key)
            #expect(try await make(key) == set && Set(set.codes).count == 10)
            #expect(try await world.messages(of: .recovery).count == 1)
            let tablet = try await world.open()
            let signedIn = try await world.recovery.use(
                RecoveryCodeUse(code: set.codes[9], device: nil), by: world.requester(tablet), at: world.now)
            #expect(signedIn.account == phone.account)
            #expect(try await make(other).codes != set.codes)
        }
    }

    @Test("makes new recovery codes if others have replaced its own, and no used code works again") func replacedCodes()
        async throws
    {
        let world = try SignInWorld()
        let (phone, tablet) = (try await world.open(), try await world.open())
        func make(_ key: RequestKey) async throws -> RecoveryCodeSet {
            world.clock.advance(.seconds(1))
            return try await world.recovery.create(
                for: phone.account, languages: [], address: "203.0.113.7", key: key, at: world.now)
        }
        func use(_ code: String) async throws -> SignedIn {
            try await world.recovery.use(
                RecoveryCodeUse(code: code, device: nil), by: world.requester(tablet), at: world.now)
        }
        let first = try await make(key)
        #expect(try await use(first.codes[0]).account == phone.account)
        _ = try await make(other)
        let again = try await make(key)
        #expect(Set(again.codes).isDisjoint(with: first.codes))
        #expect(await errorCode { try await use(first.codes[0]) } == .codeWrong)
        #expect(try await make(key) == again)
    }

    @Test(
        "makes one pairing, whether its first commit was made or not, and counts it once",
        arguments: Backend.all, LossyDatabase.Loss.all)
    func pairing(backend: Backend, loss: LossyDatabase.Loss) async throws {
        try await backend.withDatabase { database in
            let world = try SignInWorld(database: database)
            let (phone, tablet) = (try await world.open(), try await world.open())
            let pairings = PairingService(database: losing(database, loss), messages: world.queue, signals: .none)
            func make(_ session: NewSession, _ key: RequestKey) async throws -> Pairing {
                try await pairings.make(
                    for: session.account, by: world.requester(session), address: "https://kith.example", key: key,
                    at: world.now)
            }
            #expect(await errorCode { try await make(phone, key) } == .busy)
            let pairing = try await make(phone, key)
            world.clock.advance(.seconds(60))
            #expect(try await make(phone, key) == pairing)
            let used = try await database.read {
                try $0.query("SELECT amount FROM usage WHERE kind = 'pairings'")[0].integer(0)
            }
            #expect(used == 1, "A repeated request does not count against the limit of a day.")
            let open = try await world.pairings.status(of: pairing.id, of: phone.account, at: world.now)
            #expect(open.state == .open && open.expires == pairing.expires)
            // The key belongs to the session.
            #expect(try await make(tablet, key).link != pairing.link)
            #expect(try await make(phone, other).link != pairing.link)
        }
    }

    @Test("makes no second pairing if its own was used, ended or replaced, or has expired", arguments: Backend.all)
    func pairingOver(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let world = try SignInWorld(database: database)
            let tablet = try await world.open()
            func make(_ phone: NewSession, _ key: RequestKey? = nil) async throws -> Pairing {
                try await world.pairings.make(
                    for: phone.account, by: world.requester(phone), address: "https://kith.example", key: key,
                    at: world.now)
            }
            let endings: [(Pairing, NewSession) async throws -> Void] = [
                { pairing, _ in
                    let use = PairingUse(token: String(try #require(pairing.link.split(separator: "#").last)))
                    _ = try await world.pairings.use(use, by: world.requester(tablet), at: world.now)
                },
                { try await world.pairings.end($0.id, of: $1.account) },
                { _ = try await make($1) },
                { _, _ in world.clock.advance(.seconds(600)) },
            ]
            for end in endings {
                let phone = try await world.open()
                let pairing = try await make(phone, key)
                try await end(pairing, phone)
                #expect(await errorCode { try await make(phone, key) } == .codeExpired)
                #expect(try await make(phone, other).link != pairing.link)
            }
        }
    }

    @Test("can be repeated for a day; then it opens neither the session nor the codes", arguments: Backend.all)
    func age(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let world = try SignInWorld(database: database)
            let (made, day) = (world.now, Duration.seconds(86_400))
            let session = try await world.sessions.open(key, at: made)
            func codes(at now: Timestamp) async throws -> [String] {
                try await world.recovery.create(
                    for: session.account, languages: [], address: "203.0.113.7", key: key, at: now
                ).codes
            }
            let first = try await codes(at: made)
            let last = made + day - .milliseconds(1)
            #expect(try await world.sessions.open(key, at: last) == session)
            #expect(try await codes(at: last) == first)
            #expect(await errorCode { try await world.sessions.open(key, at: made + day) } == .conflict)
            #expect(await errorCode { try await codes(at: made + day) } == .conflict)
            #expect(try await world.sessions.verify(session.token)?.account == session.account)
        }
    }

    @Test("opens no session of an account that was deleted", arguments: Backend.all)
    func deletedAccount(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let sessions = SessionService(database: database, signals: .none)
            let session = try await sessions.open(key, at: HandClock.start)
            try await AccountService(database: database, signals: .none).delete(session.account, at: HandClock.start)
            #expect(await errorCode { try await sessions.open(key, at: HandClock.start) } == .conflict)
            #expect(try await sessions.open(other, at: HandClock.start).account != session.account)
        }
    }

    @Test("opens one session if it arrives eight times at the same moment", arguments: Backend.concurrent)
    func together(backend: Backend) async throws {
        try await backend.withDatabase { database in
            let sessions = SessionService(database: database, signals: .none)
            let opened = try await withThrowingTaskGroup(of: NewSession.self) { group in
                for _ in 0..<8 { group.addTask { try await sessions.open(key, at: HandClock.start) } }
                return try await group.reduce(into: Set<NewSession>()) { $0.insert($1) }
            }
            #expect(opened.count == 1)
            #expect(try await count("account", in: database) == 1)
        }
    }

    // MARK: The header

    @Test("has it in the header Idempotency-Key") func header() async throws {
        try await TestServer.run { server in
            func open(_ key: String) async throws -> NewSession {
                try await server.ask("POST", "/v1/sessions", headers: ["Idempotency-Key": key]).decoded()
            }
            let session = try await open("\"8e03978e-40d5-43e8-bc93-6894a57f9324\"")
            #expect(try await open("\"8e03978e-40d5-43e8-bc93-6894a57f9324\"") == session)
            #expect(try await open("\"8e03978e-40d5-43e8-bc93-6894a57f9325\"") != session)
        }
    }

    @Test(
        "that can be guessed or is no structured string is malformed",
        arguments: [
            "8e03978e-40d5-43e8-bc93-6894a57f9324", "\"\"", "\"", "\"short\"",
            "\"8e03978e 40d5 43e8 bc93 6894a57f9324\"", "\"\(String(repeating: "a", count: 65))\"",
        ])
    func malformed(field: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/v1/sessions", headers: ["Idempotency-Key": field])
            let problem: Problem = try reply.decoded()
            #expect(reply.status == 400 && problem.code == .malformed)
        }
    }
}
