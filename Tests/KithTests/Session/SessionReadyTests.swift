import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Waiting for a session") struct SessionReadyTests {
    private let pauses = Pauses()

    /// A client whose pauses end when the test ends them.
    private func client(_ server: FakeServer) throws -> KithClient {
        let replica = try Replica(.inMemory, dependencies: pauses.dependencies(server.clock))
        return try KithClient(replica: replica, transport: server, credentials: InMemoryCredentialStore())
    }

    @Test("A command that is given before the first session waits for the session") func waits() async throws {
        let server = FakeServer.gone
        let client = try client(server)
        let ready = Task { try await client.session.ready() }
        try await until { !pauses.underWay.isEmpty }
        #expect(try await client.session.isReadyToShare() == false)
        server.mend()
        while try await client.session.state() == .initial {
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            await Task.yield()
        }
        #expect(try await ready.value == client.session.account())
        #expect(try await client.session.isReadyToShare())
        #expect(try await client.session.ready() == client.session.account(), "The next command does not wait.")
    }

    @Test("A waiting command ends with “reset”; a command that cannot get a session ends at once")
    func reset() async throws {
        let server = FakeServer.gone
        let client = try client(server)
        let ready = Task { try await client.session.ready() }
        try await until { !pauses.underWay.isEmpty }
        try await client.accounts.dropEverything()
        #expect(await code { _ = try await ready.value } == .reset)
        try await client.session.select(.userless)
        #expect(await code { _ = try await client.session.ready() } == .unauthorized)
        #expect(await code { _ = try await KithClient.inMemory().session.ready() } == .noServer)
    }

    @Test("A command is sent when the session is ready. If the server fails then, the command waits again")
    func sends() async throws {
        let (server, runs) = (FakeServer(), Kept(0))
        server.goAway()
        let client = try client(server)
        let command = Task {
            try await client.session.whenReady {
                runs.change { $0 += 1 }
                if runs.value == 1 { server.refuse(503) }
                return try await client.session.verify()
            }
        }
        try await until { !pauses.underWay.isEmpty }
        #expect(runs.value == 0)
        server.mend()
        try await until {
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            return try await client.session.state() == .serverError && !pauses.underWay.isEmpty
        }
        let failed = runs.value
        server.mend()
        try await until {
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            return runs.value > failed
        }
        _ = try await command.value
        #expect(try await client.session.state() == .anonymous)
    }

    @Test("With an open session, a command pauses before each attempt while the server cannot be reached")
    func pausing() async throws {
        let (server, runs) = (FakeServer(), Kept(0))
        let client = try client(server)
        try await client.session.open()
        server.goAway()
        let command = Task {
            try await client.session.whenReady {
                runs.change { $0 += 1 }
                return try await client.session.verify()
            }
        }
        for expected in 1...3 {
            try await until { !pauses.underWay.isEmpty }
            #expect(runs.value == expected)
            if expected == 3 { server.mend() }
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            try await until { runs.value > expected }
        }
        _ = try await command.value
        #expect(runs.value == 4)
    }

    @Test("Trap: The server answers another round while a command waits for its next attempt – the command is sent now")
    func answeredMeanwhile() async throws {
        let server = FakeServer()
        let client = try client(server)
        try await client.session.open()
        server.goAway()
        let command = Task { try await client.session.whenReady { try await client.session.verify() } }
        try await until { !pauses.underWay.isEmpty }
        server.mend()
        try await client.syncNow()
        _ = try await command.value
        #expect(pauses.asked.count == 1)
    }

    @Test("Trap: The page to sign in of a network answers – a command waits for the server", .timeLimit(.minutes(15)))
    func behindPage() async throws {
        let server = FakeServer()
        let client = try client(server)
        try await client.session.open()
        server.wire.instead = { _ in TransportResponse(status: 200, body: Data("<html>".utf8)) }
        let command = Task { try await client.session.whenReady { try await client.session.verify() } }
        try await until { !pauses.underWay.isEmpty }
        server.mend()
        try await client.syncNow()
        _ = try await command.value
    }

    @Test("Trap: The network returns while a command waits for the first session – networkChanged() opens it now")
    func networkReturns() async throws {
        let server = FakeServer.gone
        let client = try client(server)
        let ready = Task { try await client.session.ready() }
        // After a failure there is a short pause, and then the one before the next attempt.
        try await until {
            pauses.end(upTo: .milliseconds(100))
            return pauses.underWay.contains { $0 > .milliseconds(100) }
        }
        server.mend()
        await client.networkChanged()
        #expect(try await ready.value == client.session.account())
    }

    @Test("A command ends with its own error if the server answers everything else") func ownError() async throws {
        let (phone, _) = try await Phone.withList()
        phone.server.refuse(503) { $0 == "/v1/session" }
        let client = phone.client
        #expect(await code { _ = try await client.session.whenReady { try await client.session.verify() } } == .busy)
        #expect(phone.server.requests.count { $0.path == "/v1/session" } == 2)
    }

    @Test("A command that the server wants later is sent again then") func retryAfter() async throws {
        let (server, runs) = (FakeServer(), Kept(0))
        let client = try client(server)
        try await client.session.open()
        server.refuse(503, retryAfter: 5) { $0 == "/v1/session" }
        let command = Task {
            try await client.session.whenReady {
                runs.change { $0 += 1 }
                return try await client.session.verify()
            }
        }
        try await until { !pauses.underWay.isEmpty || runs.value > 1 }
        #expect(pauses.underWay == [.seconds(5)] && runs.value == 1)
        server.mend()
        pauses.end(upTo: .seconds(5))
        _ = try await command.value
        #expect(runs.value == 2)
    }

    @Test("A command that the server does not answer is sent again also after an outage") func refusedAfterOutage()
        async throws
    {
        let (server, runs) = (FakeServer(), Kept(0))
        let client = try client(server)
        try await client.session.open()
        let command = Task {
            try await client.session.whenReady {
                runs.change { $0 += 1 }
                switch runs.value {
                case 1, 3: server.refuse(503) { $0 == "/v1/session" }
                case 2: server.goAway()
                default: server.mend()
                }
                return try await client.session.verify()
            }
        }
        try await until { !pauses.underWay.isEmpty }
        #expect(runs.value == 2)
        server.mend()
        try await until {
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            return runs.value > 2
        }
        _ = try await command.value
        #expect(runs.value == 4)
    }

    @Test("A command reaches no account but the one for which it was given")
    func otherAccount() async throws {
        let (phone, _) = try await Phone.withList()
        let client = phone.client
        let ended = await code {
            _ = try await client.session.whenReady {
                try await client.session.open()
                return try await client.session.verify()
            }
        }
        #expect(ended == .reset)
        #expect(!phone.server.requests.contains { $0.path == "/v1/session" })
    }

    @Test("A command reaches no other account, even if another process opens it in a store of the same number")
    func reusedNumber() async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let first = try phone.account()
        let ended = await code {
            _ = try await phone.client.session.whenReady {
                try await other.client.accounts.dropEverything()
                try await other.client.session.open()
                return try await phone.client.session.verify()
            }
        }
        let second = try phone.account()
        #expect(second.key == first.key && second.state == first.state && second.id != first.id)
        #expect(ended == .reset)
    }

    @Test("The command of an anonymous account whose token is refused is sent with the new session")
    func replaced() async throws {
        let (phone, _) = try await Phone.withList()
        let client = phone.client
        let first = try await client.session.account()
        phone.server.change { $0.tokens = [:] }
        _ = try await client.session.whenReady { try await client.session.verify() }
        #expect(try await client.session.account() != first)
    }

    @Test("A command that waits hears of a session that another process opens or ends", arguments: [true, false])
    func otherProcess(opens: Bool) async throws {
        let (server, folder, credentials) = (FakeServer(), TemporaryFolder(), InMemoryCredentialStore())
        server.goAway()
        let replica = try Replica(.file(folder.replica), dependencies: pauses.dependencies(server.clock))
        let client = try KithClient(replica: replica, transport: server, credentials: credentials)
        let ready = Task { try await client.session.ready() }
        try await until { !pauses.underWay.isEmpty }
        let other = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        server.mend()
        if opens {
            try await other.client.session.open()
        } else {
            try await other.client.session.select(.userless)
        }
        server.clock.advance(by: .minutes(60))
        try await until {
            pauses.end(upTo: .minutes(60))
            return try await client.session.state() != .initial && pauses.underWay.isEmpty
        }
        if opens {
            #expect(try await ready.value == other.client.session.account())
        } else {
            #expect(await code { _ = try await ready.value } == .reset)
        }
    }

    @Test(
        "A command that waits goes on trying if the session that another process has opened ends at once",
        .timeLimit(.minutes(15)))
    func endsAtOnce() async throws {
        let (server, folder, credentials) = (FakeServer.gone, TemporaryFolder(), InMemoryCredentialStore())
        let replica = try Replica(.file(folder.replica), dependencies: pauses.dependencies(server.clock))
        let client = try KithClient(replica: replica, transport: server, credentials: credentials)
        let other = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        let isReady = Switch()
        let ready = Task {
            let account = try await client.session.ready()
            isReady.isOn = true
            return account
        }
        try await until { !pauses.underWay.isEmpty }
        // The command finds the session, and has to wait before it can look again.
        let (isHeld, release) = (Switch(), DispatchSemaphore(value: 0))
        let holding = Task {
            try await replica.database.writeWithoutTransaction { _ in
                isHeld.isOn = true
                release.wait()
            }
        }
        try await until { isHeld.isOn }
        try other.execute("UPDATE account SET state = 'anonymous'")
        try await until {
            pauses.end(upTo: .minutes(60))
            return pauses.underWay.isEmpty
        }
        for _ in 0..<1_000 { _ = try await replica.read { $0.account.state } }
        try other.execute("UPDATE account SET state = 'initial'")
        release.signal()
        try await holding.value
        server.mend()
        try await until {
            server.clock.advance(by: .minutes(60))
            pauses.end(upTo: .minutes(60))
            return isReady.isOn
        }
        #expect(try await ready.value == client.session.account())
    }

    @Test("A command that waits at a pinned client ends if another process finds the account's token refused")
    func pinned() async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let account = try phone.account()
        for _ in 0...RetrySchedule.quickAttempts {
            _ = try phone.rounds.fail(KithError(.busy, "Later."), by: account.device)
        }
        let replica = try Replica(
            .file(folder.replica), dependencies: pauses.dependencies(phone.clock, seed: 2),
            scope: .account(try present(account.id)))
        let client = try KithClient(replica: replica, transport: phone.server, credentials: phone.credentials)
        let isOver = Kept(false)
        let ready = Task {
            defer { isOver.change { $0 = true } }
            try await client.session.ready()
        }
        try await until { !pauses.underWay.isEmpty }
        let refusal = FakeServer.problem(401, .tokenInvalid, "The token is unknown.")
        _ = try phone.rounds.fail(KithError(status: 401, retryAfter: nil, body: refusal), by: account.device)
        #expect(try phone.account().state == .initial)
        try await until {
            pauses.end(upTo: .minutes(60))
            return isOver.value
        }
        #expect(await code { try await ready.value } == .reset)
    }

    @Test("A command whose task is cancelled ends") func cancelled() async throws {
        let server = FakeServer.gone
        let client = try client(server)
        let ready = Task { try await client.session.ready() }
        try await until { !pauses.underWay.isEmpty }
        ready.cancel()
        await #expect(throws: CancellationError.self) { try await ready.value }
    }

    @Test("Each change of the session is reported once, in order") func states() async throws {
        let (phone, _) = try await Phone.withList()
        let seen = Kept<[SessionState]>([])
        let states = phone.client.session.states()
        let reading = Task { for await state in states { seen.change { $0.append(state) } } }
        try await until { seen.value == [.anonymous] }
        phone.server.refuse(503)
        for _ in 0...RetrySchedule.quickAttempts { _ = try? await phone.client.syncNow() }
        phone.server.mend()
        try await phone.client.syncNow()
        phone.server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        try await phone.client.session.logOut()
        let expected: [SessionState] = [.anonymous, .serverError, .anonymous, .initial, .anonymous, .loggedOut]
        try await until { seen.value == expected }
        reading.cancel()
    }

    @Test("The token of a replaced anonymous session is deleted") func deadToken() async throws {
        let (phone, _) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        phone.server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        #expect(try phone.credentials.token(for: first) == nil)
        #expect(try await phone.client.session.token() != nil)
    }

    @Test("An identified account reports a failing server, then is identified again; if its token is refused, it waits")
    func identified() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        phone.server.refuse(503)
        for _ in 0...RetrySchedule.quickAttempts { _ = try? await phone.client.syncNow() }
        #expect(try await phone.client.session.state() == .serverError)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .identified)
        try await phone.lists.add("Tea", to: list)
        phone.server.change { $0.tokens = [:] }
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(try await phone.client.session.state() == .invalidToken)
        #expect(try await phone.waiting() == 1)
        #expect(try await phone.titles(in: list) == ["Milk", "Tea"])
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 1, "No session opens in its place.")
    }

    @Test("A refusal of an earlier token does not end the session of a newer one") func earlierToken() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        try await phone.lists.add("Milk", to: list)
        // The user signs in again while a round with the old token is under way.
        let new = phone.server.change { world in
            world.tokens = ["new": account]
            return "new"
        }
        let credentials = phone.credentials
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync", request.token != new else { return nil }
            try credentials.save(new, for: account)
            return nil
        }
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .identified)
        #expect(try await phone.waiting() == 0)
    }
}
