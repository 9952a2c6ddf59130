import Foundation
import Kith
import KithModel
import Testing

@Suite("The effects of a failed round") struct FailedRoundTests {
    private static let over = problem(.tokenInvalid, status: 401)

    /// A failure, and what becomes of a session.
    struct Case: Sendable, CustomTestStringConvertible {
        var state: SessionState
        var error: KithError
        var attempts = 0
        var after: SessionState
        var isRetried = true

        var testDescription: String { "\(state), \(error.code) after \(attempts)" }
    }

    static let cases = [
        Case(state: .anonymous, error: over, after: .initial),
        Case(state: .serverError, error: over, after: .initial),
        Case(state: .identified, error: over, after: .invalidToken, isRetried: false),
        Case(
            state: .anonymous, error: KithError(.unauthorized, "A proxy's."), after: .invalidToken, isRetried: false),
        Case(state: .anonymous, error: KithError(.accountClosed, "Gone."), after: .inactive, isRetried: false),
        Case(state: .anonymous, error: KithError(.busy, "Later."), attempts: 6, after: .serverError),
        Case(state: .anonymous, error: KithError(.refused, "No."), attempts: 6, after: .serverError),
        Case(state: .anonymous, error: KithError(.malformed, "What?"), attempts: 6, after: .serverError),
        Case(state: .anonymous, error: KithError(.offline, "Away."), attempts: 6, after: .anonymous),
        Case(state: .anonymous, error: KithError(.busy, "Later."), attempts: 5, after: .anonymous),
        Case(state: .identified, error: KithError(.busy, "Later."), attempts: 5, after: .identified),
        Case(state: .identified, error: KithError(.busy, "Later."), attempts: 6, after: .serverError),
        Case(state: .identified, error: KithError(.offline, "Away."), attempts: 6, after: .identified),
    ]

    @Test("Each failure leads to one state of the session, and determines whether to retry", arguments: cases)
    func states(failure: Case) async throws {
        let (phone, _) = try await Phone.withList()
        try phone.execute("UPDATE account SET state = '\(failure.state.rawValue)', attempt = \(failure.attempts)")
        let device = try phone.account().device
        #expect(try !phone.rounds.fail(failure.error, by: device))
        #expect(try phone.account().state == failure.after)
        #expect(try (phone.account().schedule.retryAt != nil) == failure.isRetried)
        #expect(try phone.account().device == device)
        #expect(try await phone.client.status().lastError?.code == failure.error.code)
    }

    @Test("An account with nothing on the server is replaced even if only a proxy refuses its token")
    func nothingToLose() async throws {
        let phone = try Phone()
        try await phone.client.syncNow()
        let error = KithError(.unauthorized, "A proxy's.")
        #expect(try !phone.rounds.fail(error, by: phone.account().device))
        #expect(try phone.account().state == .initial)
    }

    @Test("In a pinned client no other session opens in place of the one that is over") func pinned()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let me = try #require(try await phone.client.session.account())
        let pinned = try Phone(
            phone.server, file: folder.replica, credentials: phone.credentials, account: .account(me))
        #expect(try !pinned.rounds.fail(Self.over, by: pinned.account().device))
        #expect(try pinned.account().state == .invalidToken)
    }

    @Test(
        "A server that cannot read a number gets new ones, under a new identity",
        arguments: [
            ("$.acknowledged", true), ("$.acknowledged.number", true), ("$.sent", true),
            ("$.mutations[0].number", true), ("$.mutations[0].set", false), ("$.token", false), (nil, false),
        ])
    func numbers(path: String?, isAboutNumbers: Bool) async throws {
        let (phone, _) = try await Phone.withList()
        let device = try phone.account().device
        #expect(try !phone.rounds.fail(Self.problem(.malformed, status: 400, path: path), by: device))
        #expect(try (phone.account().device != device) == isAboutNumbers)
    }

    @Test(
        "Law 2: a server refuses what every request has, and the edits are lost – they wait",
        arguments: ["$.token", "$.reread", "$.reread[0]", "$.account", "$.device", "$.kind"])
    func envelope(path: String) async throws {
        let (phone, list) = try await Phone.withList()
        _ = try await phone.lists.add("Milk", to: list)
        let refusal = Self.problem(.malformed, status: 400, path: path)
        phone.server.wire.instead = { request in
            if request.path == "/v1/sync" { throw refusal }
            return nil
        }
        #expect(await code { try await phone.client.syncNow() } == .refused)
        #expect(try await phone.waiting() == 1)
        #expect(try await phone.client.rejections().isEmpty)
        phone.server.wire.instead = { _ in nil }
        try await phone.client.syncNow()
        #expect(try await phone.waiting() == 0)
    }

    @Test("A refusal by a proxy, or for another reason, does not lead to a new identity") func otherReasons()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        let device = try phone.account().device
        #expect(try !phone.rounds.fail(KithError(.refused, "No."), by: device))
        #expect(try !phone.rounds.fail(Self.problem(.tooLarge, status: 413, path: "$.sent"), by: device))
        #expect(try phone.account().device == device)
    }

    @Test("If a server refuses each new session's token, no third session is opened") func refusesEveryToken()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        let refusals = Kept(0)
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync" else { return nil }
            refusals.change { $0 += 1 }
            if refusals.value > 5 { throw KithError(.offline, "The server has had enough.") }
            return TransportResponse(
                status: 401, body: FakeServer.problem(401, .tokenInvalid, "The token is unknown."))
        }
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 2)
        #expect(refusals.value == 2)
    }

    @Test("A round that cannot be sent puts no edit in flight; the error names both servers in order")
    func otherServer() async throws {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        try await phone.lists.add("Milk", to: list)
        let other = FakeServer.other()
        let stranger = try Phone(other, file: folder.replica, credentials: phone.credentials)
        let home = try #require(phone.server.change { $0.server })
        let there = try #require(other.change { $0.server })
        do {
            try await stranger.client.syncNow()
            Issue.record("Another server was spoken with.")
        } catch let error as KithError {
            #expect(error.code == .otherServer)
            #expect(error.sentence.hasPrefix("The account belongs to server \(home), and this is server \(there)."))
        }
        #expect(other.requests.isEmpty)
        #expect(try phone.query("SELECT * FROM mutation WHERE number IS NULL").count == 1)
    }

    @Test(
        "If another server takes the address between two requests, its refusal ends no session, and both are named",
        arguments: [Problem.Code.tokenInvalid, .accountClosed])
    func replacedServer(refusal: Problem.Code) async throws {
        let (phone, _) = try await Phone.withList()
        let home = try #require(phone.server.change { $0.server })
        let there = try #require(FakeServer.other().change { $0.server })
        phone.server.wire.instead = { request in
            switch request.path {
            case "/ready":
                TransportResponse(status: 200, body: Data(#"{"status":"ready","server":"\#(there)"}"#.utf8))
            case "/v1/sync": TransportResponse(status: 401, body: FakeServer.problem(401, refusal, "It is over."))
            default: nil
            }
        }
        do {
            try await phone.client.syncNow()
            Issue.record("Another server was believed.")
        } catch let error as KithError {
            #expect(error.code == .otherServer)
            #expect(error.sentence.hasPrefix("The account belongs to server \(home), and this is server \(there)."))
        }
        #expect(phone.server.requests.last?.path == "/v1/sync")
        #expect(try phone.account().state == .anonymous)
    }

    @Test(
        "An answer from something other than a Kith server is distinguished from old, hidden or busy servers",
        arguments: [
            (200, "{}", nil), (200, "<html>", .offline), (404, "<html>", nil), (503, "<html>", .busy),
            (503, "{}", .busy),
        ] as [(Int, String, KithError.Code?)])
    func readiness(status: Int, body: String, expected: KithError.Code?) async throws {
        let phone = try Phone()
        phone.server.wire.instead = {
            $0.path == "/ready" ? TransportResponse(status: status, body: Data(body.utf8)) : nil
        }
        #expect(await code { try await phone.client.syncNow() } == expected)
        #expect(phone.server.identifications > 0)
    }

    @Test("The status shows a round exactly while one is running") func syncing() async throws {
        let (phone, _) = try await Phone.withList()
        let seen = Kept<[Bool]>([])
        phone.server.wire.meanwhile = { _ in
            let isSyncing = try await phone.client.status().isSyncing
            seen.change { $0.append(isSyncing) }
        }
        #expect(try await !phone.client.status().isSyncing)
        try await phone.client.syncNow()
        #expect(seen.value == [true])
        #expect(try await !phone.client.status().isSyncing)
        #expect(try await !Phone().client.status().isSyncing)
    }

    @Test("A log-out is sent before a round and again after it, until the server has received it")
    func farewells() async throws {
        let (phone, _) = try await Phone.withList()
        phone.server.goAway()
        try await phone.client.session.logOut()
        phone.server.refuse(503) { $0 == "/v1/session" }
        _ = try? await phone.client.session.open()
        let attempts = Kept(0)
        phone.server.wire.instead = { request in
            guard request.method == "DELETE" else { return nil }
            attempts.change { $0 += 1 }
            return attempts.value == 1 ? TransportResponse(status: 503, body: Data("{}".utf8)) : nil
        }
        try await phone.client.syncNow()
        #expect(attempts.value == 2)
        #expect(try phone.query("SELECT * FROM endedSession").isEmpty)
        try await phone.client.syncNow()
        #expect(attempts.value == 2)
    }

    @Test("An edit whose request took too long keeps waiting, however often that happens", arguments: [true, false])
    func tooSlow(isFromProxy: Bool) async throws {
        let (phone, list) = try await Phone.withList()
        for title in ["Milk", "Tea"] { try await phone.lists.add(title, to: list) }
        let refusal = isFromProxy ? Data() : FakeServer.problem(408, .tooSlow, "The body took too long to arrive.")
        let sizes = Kept<[Int]>([])
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body else { return nil }
            let mutations = try JSONDecoder().decode(SyncRequest.self, from: body).mutations
            sizes.change { $0.append(mutations.count) }
            return TransportResponse(status: 408, body: refusal)
        }
        for _ in 0..<2 { #expect(await code { try await phone.client.syncNow() } == .tooMany) }
        #expect(sizes.value == [2, 1, 1])
        #expect(try await phone.waiting() == 2)
        #expect(try await phone.client.rejections().isEmpty)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk", "Tea"])
    }

    @Test("If the account has too many devices, the edits of one more keep waiting") func tooManyDevices() async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let full = Problem(
            status: 422, title: "Problem", code: .tooMany, detail: "The account has too many devices.", id: "1",
            path: "$.device")
        let body = try JSONEncoder().encode(full)
        phone.server.wire.instead = { $0.path == "/v1/sync" ? TransportResponse(status: 422, body: body) : nil }
        for _ in 0..<2 { #expect(await code { try await phone.client.syncNow() } == .tooMany) }
        #expect(try await phone.waiting() == 1)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.client.status().lastError?.sentence == full.detail)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("An edit that a server cannot read in any form is shown as refused, and not as if it was there")
    func unreadableEdit() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", let body = request.body,
                try !JSONDecoder().decode(SyncRequest.self, from: body).mutations.isEmpty
            else { return nil }
            return TransportResponse(status: 422, body: FakeServer.problem(422, .tooMany, "That is too much."))
        }
        _ = try? await phone.client.syncNow()
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().count == 1)
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.titles(in: list).isEmpty)
    }

    private static func problem(_ code: Problem.Code, status: Int, path: String? = nil) -> KithError {
        KithError(
            status == 401 ? .unauthorized : .refused, "The server refuses this.",
            cause: Problem(
                status: status, title: "Problem", code: code, detail: "The server refuses this.", id: "1", path: path))
    }
}
