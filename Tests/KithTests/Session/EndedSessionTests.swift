import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("Sessions that have ended on the device") struct EndedSessionTests {
    @Test("A log-out while offline is remembered, and the server deletes the token at the next contact")
    func rememberedLogOut() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        phone.server.goAway()
        let logOut = try await phone.client.session.logOut()
        #expect(!logOut.isServerTold)
        #expect(logOut.hidden.stores.map(\.scope) == [.account(account)])
        #expect(try await phone.client.session.state() == .loggedOut)
        #expect(try phone.credentials.token(for: account) == nil)
        #expect(try await phone.lists.all(within: .account(account)).map(\.id) == [list])
        #expect(phone.server.change { $0.tokens.count } == 1)
        phone.server.mend()
        // Whoever is logged out makes no round, and the server is told all the same.
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(phone.server.change { $0.tokens.isEmpty })
        #expect(try phone.query("SELECT * FROM endedSession").isEmpty)
    }

    @Test("A log-out while offline is told to the server when a new session is opened") func toldByNewSession()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        let token = try #require(try await phone.client.session.token())
        phone.server.goAway()
        try await phone.client.session.logOut()
        phone.server.mend()
        try await phone.client.session.open()
        #expect(phone.server.change { $0.tokens[token] == nil && $0.tokens.count == 1 })
    }

    @Test("A log-out while offline survives a restart; its token is in the credential store and not in the database")
    func survivesRestart() async throws {
        let folder = TemporaryFolder()
        let credentials = FileCredentialStore(url: folder.url.appending(path: "credentials.json"))
        let server = FakeServer()
        let token: String
        do {
            let phone = try Phone(server, file: folder.replica, credentials: credentials)
            try await phone.client.syncNow()
            token = try #require(try await phone.client.session.token())
            server.goAway()
            try await phone.client.session.logOut()
            #expect(try !phone.query("SELECT * FROM endedSession").description.contains(token))
        }
        #expect(try String(contentsOf: folder.url.appending(path: "credentials.json"), encoding: .utf8).contains(token))
        server.mend()
        let phone = try Phone(server, file: folder.replica, credentials: credentials)
        _ = try? await phone.client.syncNow()
        #expect(server.change { $0.tokens.isEmpty })
        #expect(
            !(try String(contentsOf: folder.url.appending(path: "credentials.json"), encoding: .utf8).contains(token)))
    }

    @Test("A log-out is sent only to the account's own server") func ownServerOnly() async throws {
        let home = FakeServer()
        let other = FakeServer.other()
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let phone = try Phone(home, file: folder.replica, credentials: credentials)
        try await phone.client.syncNow()
        let stranger = try Phone(other, file: folder.replica, credentials: credentials)
        #expect(try await !stranger.client.session.logOut().isServerTold)
        _ = try? await stranger.client.syncNow()
        #expect(!other.requests.contains { $0.token != nil })
        _ = try? await phone.client.syncNow()
        #expect(home.change { $0.tokens.isEmpty })
    }

    @Test("A token that is activated again is not ended by the earlier log-out") func activatedAgain() async throws {
        let (phone, list) = try await Phone.withList()
        let token = try #require(try await phone.client.session.token())
        phone.server.refuse(503) { $0 == "/v1/session" || $0 == "/ready" }
        try await phone.client.session.logOut()
        phone.server.mend()
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.tokens.count } == 1)
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    @Test("While one process tells the server of a log-out, another one cannot activate the token")
    func activatedMeanwhile() async throws {
        let (phone, list) = try await Phone.withList()
        let token = try #require(try await phone.client.session.token())
        phone.server.goAway()
        try await phone.client.session.logOut()
        phone.server.mend()
        // What the other process has stored before its request, which is on its way.
        try phone.execute("UPDATE endedSession SET ended = -\(phone.clock.now.milliseconds)")
        #expect(await code { _ = try await phone.client.session.activate(token: token) } == .busy)
        #expect(try await phone.client.session.state() == .loggedOut)
        #expect(try phone.query("SELECT * FROM endedSession").count == 1)
        // It was killed, so its request never arrives.
        phone.clock.advance(by: .seconds(180))
        _ = try await phone.client.session.activate(token: token)
        #expect(try await phone.lists.all().map(\.id) == [list])
        #expect(phone.server.change { Array($0.tokens.keys) } == [token])
    }

    @Test("A log-out is marked while the server is told, and not after a failure") func markedWhileTold() async throws {
        let (phone, _) = try await Phone.withList()
        let token = try #require(try await phone.client.session.token())
        let marks = Kept<[Int]>([])
        let replica = phone.client.replica
        phone.server.wire.instead = { request in
            guard request.method == "DELETE" else { return nil }
            let marked = try replica.database.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM endedSession WHERE ended < 0") ?? 0
            }
            marks.change { $0.append(marked) }
            return TransportResponse(status: 500, body: Data("{}".utf8))
        }
        #expect(try await !phone.client.session.logOut().isServerTold)
        #expect(Set(marks.value) == [1])
        #expect(try phone.query("SELECT 1 FROM endedSession WHERE ended > 0").count == 1)
        phone.server.mend()
        _ = try await phone.client.session.activate(token: token)
        #expect(phone.server.change { Array($0.tokens.keys) } == [token])
    }

    @Test("A token that another process is just activating is not deleted as the rest of a log-out")
    func savedMeanwhile() async throws {
        let credentials = ReadCredentialStore()
        let phone = try Phone(credentials: credentials)
        try await phone.client.syncNow()
        let account = try #require(try await phone.client.session.account())
        let token = try #require(try credentials.token(for: account))
        phone.server.goAway()
        try await phone.client.session.logOut()
        // The other process withdraws the ending and saves the token. It has not made the account the current one yet.
        let replica = phone.client.replica
        credentials.willRead(.session(account)) {
            try replica.database.write { try $0.execute(sql: "DELETE FROM endedSession") }
            try credentials.save(token, for: account)
        }
        _ = try await phone.client.session.select(.account(account))
        #expect(try credentials.token(for: account) == token)
    }

    @Test("Trap: Another process signs in to the account just after it has logged out – it keeps its token")
    func signedInAgain() async throws {
        let (folder, deed) = (TemporaryFolder(), Kept<(@Sendable () throws -> Void)?>(nil))
        var faults = Replica.Faults()
        faults.afterCommit = {
            let next = deed.value
            deed.change { $0 = nil }
            try next?()
        }
        let (phone, _) = try await Phone.withList(file: folder.replica, faults: faults)
        let account = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let signIn: @Sendable () throws -> Void = {
            try other.client.replica.writeNow { transaction in
                try transaction.switchStore(to: account, event: .activated(isIdentified: true))
                try other.credentials.save("new", for: account)
            }
        }
        deed.change { $0 = signIn }
        try await phone.client.session.logOut()
        #expect(try phone.credentials.token(for: account) == "new")
        #expect(try await phone.client.session.state() == .identified)
    }

    @Test(
        "While the client runs, the server learns of a log-out as soon as it can be reached", .timeLimit(.minutes(15)))
    func toldWhileRunning() async throws {
        let server = FakeServer()
        let client = try KithClient(
            replica: try Replica(.inMemory), transport: server, credentials: InMemoryCredentialStore())
        try await client.syncNow()
        server.goAway()
        try await client.session.logOut()
        server.mend()
        try await running(client) { try await until { server.change { $0.tokens.isEmpty } } }
    }

    @Test(
        "A running client retries a log-out until the server is told, and then resets the pauses")
    func toldLater() async throws {
        let server = FakeServer()
        let pauses = Kept<[Duration]>([])
        let isAway = Switch()
        let clock = server.clock
        let dependencies = Dependencies(
            now: { clock.now }, random: RandomSource(SplitMix64(seed: 1)),
            pause: { pause in
                pauses.change { $0.append(pause) }
                // The first seven attempts follow one another; whoever tries again after that waits for the server.
                if pauses.value.count >= 7 { try await until { !isAway.isOn } }
            })
        let client = try KithClient(
            replica: try Replica(.inMemory, dependencies: dependencies), transport: server,
            credentials: InMemoryCredentialStore(), rate: .off)
        func leave() async throws {
            isAway.isOn = true
            server.goAway()
            #expect(try await !client.session.logOut().isServerTold)
        }
        func comeBack() {
            server.mend()
            isAway.isOn = false
        }
        try await client.syncNow()
        try await leave()
        try await running(client) {
            try await until { pauses.value.count == 7 }
            comeBack()
            try await until { server.change { $0.tokens.isEmpty } }
            // The loop waits for the next one.
            try await client.session.open()
            try await leave()
            try await until { pauses.value.count == 8 }
            comeBack()
            try await until { server.change { $0.tokens.isEmpty } }
            #expect(try #require(pauses.value.last) <= .seconds(2))
        }
    }

    @Test("A client that is stopped while it waits to send a log-out stops trying") func stopped() async throws {
        let server = FakeServer()
        let pauses = Pauses()
        let client = try KithClient(
            replica: try Replica(.inMemory, dependencies: pauses.dependencies(server.clock)), transport: server,
            credentials: InMemoryCredentialStore(), rate: .off)
        try await client.syncNow()
        server.goAway()
        try await client.session.logOut()
        let loop = Task { await client.run() }
        try await until { !pauses.underWay.isEmpty }
        let asked = server.identifications
        loop.cancel()
        await loop.value
        #expect(server.identifications == asked)
        #expect(pauses.asked.count == 1)
    }

    @Test("A log-out that cannot be stored has no effect, and leaves no token behind") func notWritten()
        async throws
    {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "credentials.json")
        let isFull = Switch()
        var faults = Replica.Faults()
        faults.beforeCommit = { if isFull.isOn { throw Crash() } }
        let phone = try Phone(
            FakeServer(), file: folder.replica, credentials: FileCredentialStore(url: file), faults: faults)
        try await phone.client.syncNow()
        let before = try Data(contentsOf: file)
        isFull.isOn = true
        await #expect(throws: Crash.self) { try await phone.client.session.logOut() }
        isFull.isOn = false
        #expect(try Data(contentsOf: file) == before)
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .anonymous)
    }

    @Test("At most a hundred log-outs wait to be sent; the tokens of earlier ones are deleted") func most()
        async throws
    {
        let phone = try Phone()
        try await phone.client.syncNow()
        let names = (1...100).map { "earlier \($0)" }
        for (number, name) in names.enumerated() {
            try phone.execute("INSERT INTO endedSession (id, ended) VALUES ('\(name)', \(number))")
            try phone.credentials.save("token", for: .ended(name))
        }
        phone.server.goAway()
        #expect(try await !phone.client.session.logOut().isServerTold)
        let kept = try names.filter { try phone.credentials.secret(for: .ended($0)) != nil }
        #expect(kept == Array(names.dropFirst()))
        #expect(try phone.query("SELECT * FROM endedSession").count == 100)
    }

    @Test("While the account's server is unknown, a refusal of the token by another server does not count")
    func unknownHome() async throws {
        let folder = TemporaryFolder()
        let credentials = InMemoryCredentialStore()
        let home = FakeServer()
        let phone = try Phone(home, file: folder.replica, credentials: credentials)
        try await phone.client.syncNow()
        try phone.execute("UPDATE account SET server = NULL, address = NULL")
        let other = FakeServer.other()
        other.refuse(401, .tokenInvalid) { $0 == "/v1/session" }
        let stray = try Phone(other, file: folder.replica, credentials: credentials)
        #expect(try await !stray.client.session.logOut().isServerTold)
        _ = try? await stray.client.syncNow()
        #expect(other.requests.count { $0.method == "DELETE" } == 1, "It is asked once.")
        let back = try Phone(home, file: folder.replica, credentials: credentials)
        _ = try? await back.client.syncNow()
        #expect(home.change { $0.tokens.isEmpty })
        #expect(try back.query("SELECT * FROM endedSession").isEmpty)
    }

    @Test("A log-out that cannot be sent blocks no other, and each reports whether it was sent")
    func oneFails() async throws {
        let phone = try Phone()
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.token())
        phone.server.wire.instead = {
            $0.method == "DELETE" && $0.token == first ? TransportResponse(status: 500, body: Data("{}".utf8)) : nil
        }
        #expect(try await !phone.client.session.logOut().isServerTold)
        try await phone.switchAccount()
        #expect(try await phone.client.session.logOut().isServerTold)
        #expect(phone.server.change { Array($0.tokens.keys) } == [first])
    }

    // MARK: Other ends

    /// A device with two accounts: the first with an email and a token, the second current.
    private func twoAccounts(_ server: FakeServer, _ folder: TemporaryFolder, _ credentials: any CredentialStore)
        async throws -> (Phone, first: AccountID, old: String)
    {
        let phone = try Phone(server, file: folder.replica, credentials: credentials)
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        let old = try #require(try await phone.client.session.token())
        server.change { $0.identify(first) }
        try await phone.client.syncNow()
        try await phone.client.session.open()
        return (phone, first, old)
    }

    private func signIn(_ phone: Phone) async throws {
        let sent = try await phone.client.signIn.requestCode(for: try #require(Identity("mailto:ada@example.com")))
        _ = try await phone.client.signIn.check(World.code, of: sent)
    }

    @Test("A session that a sign-in on the same device replaces is closed; while offline, at the next contact")
    func replaced() async throws {
        let (server, folder) = (FakeServer(), TemporaryFolder())
        let (phone, first, old) = try await twoAccounts(server, folder, InMemoryCredentialStore())
        try await signIn(phone)
        #expect(try await phone.client.session.account() == first)
        let new = try #require(try await phone.client.session.token())
        #expect(server.change { $0.tokens[new] == first && $0.tokens[old] == nil })
        #expect(try phone.query("SELECT * FROM endedSession").isEmpty)

        try await phone.client.session.open()
        server.refuse(503) { $0 == "/v1/session" }
        try await signIn(phone)
        #expect(server.change { $0.tokens[new] != nil })
        server.mend()
        try await phone.client.syncNow()
        let newest = try #require(try await phone.client.session.token())
        #expect(server.change { $0.tokens[new] == nil && $0.tokens[newest] == first })
    }

    @Test("A session that an activated token replaces is closed, and the same token again is not")
    func replacedByToken() async throws {
        let (server, folder) = (FakeServer(), TemporaryFolder())
        let (phone, first, old) = try await twoAccounts(server, folder, InMemoryCredentialStore())
        server.change { $0.tokens["new"] = first }
        for _ in 1...2 {
            _ = try await phone.client.session.activate(token: "new")
            #expect(server.change { $0.tokens[old] == nil && $0.tokens["new"] == first })
        }
    }

    @Test(
        "The session of a dropped store is closed, while offline at the next contact; that of an anonymous account stays",
        arguments: [true, false])
    func dropped(isOffline: Bool) async throws {
        let (server, folder) = (FakeServer(), TemporaryFolder())
        let (phone, first, old) = try await twoAccounts(server, folder, InMemoryCredentialStore())
        let second = try #require(try await phone.client.session.token())
        if isOffline { server.goAway() }
        try await phone.client.accounts.drop(.account(first))
        #expect(server.change { $0.tokens.keys.contains(old) } == isOffline)
        #expect(try phone.credentials.token(for: first) == nil)
        server.mend()
        try await phone.client.syncNow()
        #expect(server.change { Array($0.tokens.keys) } == [second], "Only that of the current account is left.")
        try await phone.client.accounts.dropEverything()
        #expect(server.change { Array($0.tokens.keys) } == [second], "Only a saved token leads to it again.")
        let anonymous = try #require(server.change { $0.tokens[second] })
        #expect(try phone.credentials.token(for: anonymous) == nil)
    }

    @Test("A kill before the new token is saved leaves the session of the old one open") func killedBeforeTheToken()
        async throws
    {
        let (server, folder, credentials) = (FakeServer(), TemporaryFolder(), BreakableCredentialStore())
        let (phone, first, old) = try await twoAccounts(server, folder, credentials)
        let sent = try await phone.client.signIn.requestCode(for: try #require(Identity("mailto:ada@example.com")))
        credentials.breaks { $0 == .session(first) && $1 != nil }
        await #expect(throws: Crash.self) { try await phone.client.signIn.check(World.code, of: sent) }
        credentials.breaks { _, _ in false }
        let restarted = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        try await restarted.client.syncNow()
        #expect(server.change { $0.tokens[old] == first }, "It is still the account's own.")
        _ = try await restarted.client.signIn.check(World.code, of: sent)
        #expect(server.change { $0.tokens[old] == nil })
    }

    @Test(
        "Trap: The disk is full when a session opens, and each attempt leaves another one on the server – none is left")
    func notSaved() async throws {
        let (server, credentials) = (FakeServer(), BreakableCredentialStore())
        let phone = try Phone(server, credentials: credentials)
        credentials.breaks { $1 != nil }
        for _ in 1...3 { await #expect(throws: Crash.self) { try await phone.client.syncNow() } }
        #expect(server.requests.count { $0.path == "/v1/sessions" } == 3)
        #expect(server.change { $0.tokens.isEmpty })
        credentials.breaks { _, _ in false }
        try await phone.client.syncNow()
        #expect(server.change { $0.tokens.count } == 1)
        // A user who has logged out signs in with a temporary session.
        try await phone.client.session.logOut()
        credentials.breaks { $1 != nil }
        await #expect(throws: Crash.self) { try await signIn(phone) }
        #expect(server.change { $0.tokens.isEmpty })
    }

    @Test("Trap: The task is cancelled when the server has opened a session – the session is closed again")
    func cancelled() async throws {
        let (server, gate, credentials) = (FakeServer(), AnswerGate(), BreakableCredentialStore())
        let phone = try Phone(server, credentials: credentials)
        /// Cancels a task while it waits for its session.
        func cancel(_ task: Task<Void, any Error>) async throws {
            try await until { gate.held == 1 }
            task.cancel()
            gate.open()
            _ = await task.result
        }
        server.wire.meanwhileOpening = { try await gate.pass() }
        gate.close()
        let syncing = Task { try await phone.client.syncNow() }
        try await cancel(syncing)
        await #expect(throws: CancellationError.self) { try await syncing.value }
        #expect(server.change { $0.tokens.isEmpty })
        try await phone.client.syncNow()
        #expect(server.change { $0.tokens.count } == 1)
        // The same with the temporary session of a user who has logged out, if its token cannot be stored.
        try await phone.client.session.logOut()
        credentials.breaks { $1 != nil }
        gate.close()
        let signingIn = Task { try await signIn(phone) }
        try await cancel(signingIn)
        await #expect(throws: Crash.self) { try await signingIn.value }
        #expect(server.change { $0.tokens.isEmpty })
    }

    @Test(
        "A session whose store cannot be written is closed, and one whose store is written stays",
        arguments: [true, false])
    func notEntered(isWritten: Bool) async throws {
        let fails = Switch()
        var faults = Replica.Faults()
        let fault: @Sendable () throws -> Void = { if fails.isOn { throw Crash() } }
        if isWritten { faults.afterCommit = fault } else { faults.beforeCommit = fault }
        let phone = try Phone(faults: faults)
        fails.isOn = true
        await #expect(throws: Crash.self) { try await phone.client.syncNow() }
        fails.isOn = false
        #expect(phone.server.change { $0.tokens.count } == (isWritten ? 1 : 0))
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.tokens.count } == 1)
    }

    @Test("A log-out that is killed before its token is deleted is completed at the next start, even offline")
    func killedLogOut() async throws {
        let (server, folder, credentials) = (FakeServer(), TemporaryFolder(), BreakableCredentialStore())
        let phone = try Phone(server, file: folder.replica, credentials: credentials)
        try await phone.client.syncNow()
        let account = try #require(try await phone.client.session.account())
        credentials.breaks { $0 == .session(account) && $1 == nil }
        await #expect(throws: Crash.self) { try await phone.client.session.logOut() }
        #expect(try credentials.token(for: account) != nil)
        credentials.breaks { _, _ in false }
        server.goAway()
        let restarted = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        #expect(await code { _ = try await restarted.client.session.select(.account(account)) } == .unauthorized)
        #expect(try credentials.token(for: account) == nil)
        server.mend()
        _ = try? await restarted.client.syncNow()
        #expect(server.change { $0.tokens.isEmpty })
    }
}
