import Foundation
import Kith
import KithModel
import Testing

@Suite("Sessions") struct SessionTests {
    @Test("Works fully with no user, and before the server was ever reached") func offline() async throws {
        let phone = try Phone()
        phone.server.goAway()
        let list = try await phone.lists.create("Groceries")
        let item = try await phone.lists.add("Milk", to: list.id, count: 2)
        try await phone.lists.setTicked(item.id, true)
        try await phone.lists.move(item.id, after: nil)
        #expect(await code { try await phone.client.syncNow() } == .offline)
        #expect(try await phone.titles(in: list.id) == ["Milk"])
        let status = try await phone.client.status()
        #expect(status.session == .initial)
        #expect(status.account == nil)
        #expect(status.waiting == 2)
        #expect(status.oldestWaiting == phone.clock.now.date)
        #expect(!status.hasSynced)
    }

    @Test("A client without a server is a purely local store, and says so when asked to sync") func local() async throws
    {
        let client = try KithClient.inMemory()
        let list = try await client.lists.create("Groceries")
        try await client.lists.add("Milk", to: list.id)
        #expect(try await client.lists.items(in: list.id).map(\.title) == ["Milk"])
        #expect(await code { try await client.syncNow() } == .noServer)
    }

    @Test("What was made before any session is adopted by the first anonymous one, under the same identities")
    func adoption() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries")
        let item = try await phone.lists.add("Milk", to: list.id)
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .anonymous)
        #expect(try await phone.lists.all().map(\.id) == [list.id])
        #expect(try await phone.lists.items(in: list.id).map(\.id) == [item.id])
        #expect(phone.server.change { $0.titles(in: list.id) } == ["Milk"])
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 1)
    }

    @Test("Without a server an account stays unchanged: a sync is not a failure that is retried")
    func withoutServer() async throws {
        let (phone, _) = try await Phone.withList()
        let local = try KithClient(replica: phone.client.replica, transport: nil, credentials: phone.credentials)
        #expect(await code { try await local.syncNow() } == .noServer)
        #expect(try await local.status().lastError == nil)
        #expect(try phone.account().schedule == RetrySchedule())
    }

    @Test("A request to the server opens the first session, as a sync does") func firstSession() async throws {
        let phone = try Phone()
        #expect(await code { _ = try await phone.lists.links(of: ListID(UUID())) } == .notFound)
        #expect(phone.server.requests.map(\.method) == ["POST", "GET"])
        #expect(phone.server.requests.last?.token != nil)
        #expect(try await phone.client.session.state() == .anonymous)
    }

    @Test("A first session that the server forgets at once is replaced") func forgottenAtOnce() async throws {
        let phone = try Phone()
        let refusals = Kept(0)
        phone.server.wire.instead = { request in
            guard request.path == "/v1/sync" else { return nil }
            refusals.change { $0 += 1 }
            if refusals.value > 1 { return nil }
            return TransportResponse(
                status: 401, body: FakeServer.problem(401, .tokenInvalid, "The token is unknown."))
        }
        try await phone.client.syncNow()
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 2)
    }

    @Test("A token is kept for later runs") func reuse() async throws {
        let folder = TemporaryFolder()
        let store = FileCredentialStore(url: folder.url.appending(path: "credentials.json"))
        let server = FakeServer()
        let first = try Phone(server, file: folder.replica, credentials: store)
        try await first.client.syncNow()
        let again = try Phone(
            server, file: folder.replica,
            credentials: FileCredentialStore(url: folder.url.appending(path: "credentials.json")))
        try await again.client.syncNow()
        #expect(try await again.client.session.account() == first.client.session.account())
        #expect(server.requests.count { $0.path == "/v1/sessions" } == 1)
    }

    @Test("Trap: A 401 throws local changes away") func unauthorized() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.add("Milk", to: list)
        phone.server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        // The new account has a copy of the list with the unsent edit, and the server has it too.
        let copies = try await phone.lists.all()
        let copy = try #require(copies.first)
        #expect(copies.map(\.name) == ["Groceries"] && copy.id != list)
        #expect(try await phone.titles(in: copy.id) == ["Milk"])
        #expect(try await phone.waiting() == 0)
        #expect(phone.server.change { $0.titles(in: copy.id) } == ["Milk"])
        // Nothing waits in the store of the account whose token is refused.
        let store = try #require(try await phone.client.accounts.store(.account(first)))
        #expect(store.state == .invalidToken && store.waiting == 0 && !store.hasToken)
    }

    @Test("A dead token of an anonymous session without data is replaced by a new one") func replaced()
        async throws
    {
        let phone = try Phone()
        try await phone.client.syncNow()
        let first = try await phone.client.session.account()
        phone.server.change { $0.tokens = [:] }
        let list = try await phone.lists.create("Groceries")
        try await phone.client.syncNow()
        #expect(try await phone.client.session.account() != first)
        #expect(try await phone.lists.all().map(\.id) == [list.id])
        #expect(try await phone.client.session.state() == .anonymous)
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.client.accounts.all().count == 1, "The store goes on under the new session.")
    }

    @Test(
        "A store that continues under a new session rereads everything, with no doubtful feeds")
    func readsFromStart() async throws {
        let phone = try Phone()
        try await phone.client.syncNow()
        try phone.execute("UPDATE feed SET isDoubtful = 1")
        phone.server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        let request = try #require(phone.server.rounds.last)
        #expect(phone.server.rounds.count == 2)
        #expect(request.token == nil)
        #expect(request.reread == nil)
        #expect(request.acknowledged == .none)
    }

    @Test("A session that opens after failures clears the error, but keeps counting attempts until a round succeeds")
    func afterFailures() async throws {
        let phone = try Phone()
        phone.server.goAway()
        #expect(await code { try await phone.client.syncNow() } == .offline)
        #expect(try phone.account().schedule.retryAt != nil)
        phone.server.mend()
        try await phone.client.session.open()
        #expect(try await phone.client.status().lastError == nil)
        #expect(try phone.account().schedule == RetrySchedule(attempt: 1))
        try await phone.client.syncNow()
        #expect(try phone.account().schedule == RetrySchedule())
    }

    @Test("Replacing a dead session keeps the account's data in its hidden store, and reports it")
    func openAnew() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Unsent", to: list)
        let first = try #require(try await phone.client.session.account())
        phone.server.refuse(401, .accountClosed) { $0 == "/v1/sync" }
        #expect(await code { try await phone.client.syncNow() } == .accountClosed)
        phone.server.mend()
        let second = try await phone.client.session.open()
        #expect(second.account != first)
        #expect(second.hidden.stores.map(\.scope) == [.account(first)])
        #expect(second.hidden.lists == 1)
        #expect(second.hidden.waiting == 1)
        #expect(second.hidden.current == .account(second.account))
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.lists.all(within: .account(first)).map(\.id) == [list])
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) }.isEmpty)
    }

    @Test("Opening a session while one is open creates another account, and hides the first one's store")
    func openAnother() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        let second = try await phone.client.session.open().account
        #expect(second != first)
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.lists.all(within: .account(first)).map(\.id) == [list])
        try await phone.client.session.select(.account(first))
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    @Test("Law 8: A refused round of one account does not affect the account that is current when the answer arrives")
    func lateRefusal() async throws {
        let (phone, _) = try await Phone.withList()
        let first = try #require(try phone.rounds.begin())
        let second = try await phone.client.session.open().account
        let refusal = KithError(status: 401, retryAfter: nil, body: FakeServer.problem(401, .tokenInvalid, "No."))
        #expect(try !phone.rounds.fail(refusal, of: first))
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.client.session.state() == .anonymous)
        #expect(try await phone.client.status().lastError == nil)
    }

    @Test("Law 13: Two processes that open the first session at once use one session, and hide nothing")
    func twoProcesses() async throws {
        let (server, folder, credentials) = (FakeServer(), TemporaryFolder(), InMemoryCredentialStore())
        let app = try Phone(server, file: folder.replica, credentials: credentials)
        let program = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
        let list = try await app.lists.create("Groceries").id
        let isFirst = Kept(true)
        server.wire.meanwhileOpening = {
            guard isFirst.value else { return }
            isFirst.change { $0 = false }
            try await program.client.syncNow()
        }
        try await app.client.syncNow()
        #expect(try await app.lists.all().map(\.id) == [list])
        #expect(try await app.client.accounts.all().count == 1)
        #expect(server.change { $0.tokens.count } == 1, "The session that nobody needs is closed again.")
        #expect(try await app.client.session.account() == program.client.session.account())
    }

    @Test("Law 8: A first session that opens while another account is activated changes no account's identity")
    func lateSession()
        async throws
    {
        let server = FakeServer()
        let (friend, _) = try await Phone.withList(server)
        let token = try #require(try await friend.client.session.token())
        let phone = try Phone(server, seed: 2)
        let activated = Kept<AccountID?>(nil)
        server.wire.meanwhileOpening = {
            let activation = try await phone.client.session.activate(token: token)
            activated.change { $0 = activation.account }
        }
        #expect(await code { try await phone.client.session.open() } == .refused)
        #expect(try await phone.client.session.account() == activated.value)
        #expect(server.change { $0.tokens.count } == 1, "The session that nobody needs is closed again.")
        let known = server.change { $0.feeds.keys.map { AccountID($0.uuid) } }
        #expect(try known.filter { try phone.credentials.token(for: $0) != nil } == [activated.value])
    }

    @Test("A 401 that does not come from a Kith server ends no session") func captivePortal() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        phone.server.refuse(401) { _ in true }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        #expect(try await phone.client.session.state() == .anonymous)
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("A server that fails beyond the quick retries is reported as serverError until a round succeeds")
    func serverError() async throws {
        let (phone, _) = try await Phone.withList()
        phone.server.refuse(503)
        for attempt in 1...RetrySchedule.quickAttempts + 1 {
            #expect(await code { try await phone.client.syncNow() } == .busy)
            #expect(
                try await phone.client.session.state()
                    == (attempt > RetrySchedule.quickAttempts ? .serverError : .anonymous))
        }
        phone.server.mend()
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .anonymous)
    }

    @Test(
        "Logging out deletes the token on the device and the server, keeps the data, and edits go to the userless store"
    )
    func logOut() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        try await phone.lists.add("Unsent", to: list)
        try await phone.client.session.logOut()
        #expect(try phone.credentials.token(for: account) == nil)
        #expect(phone.server.change { $0.tokens.isEmpty })
        #expect(try await phone.client.session.state() == .loggedOut)
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.lists.all(within: .account(account)).map(\.id) == [list])
        let own = try await phone.lists.create("Mine alone")
        #expect(try await phone.lists.all(within: .userless).map(\.id) == [own.id])
        #expect(try await phone.client.accounts.all().compactMap(\.account) == [account])
    }

    @Test("After a log-out, neither a sync nor dropping data signs in again") func staysLoggedOut()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        try await phone.client.session.logOut()
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(try await phone.client.session.state() == .loggedOut)
        try await phone.lists.create("Notes")
        try await phone.client.accounts.drop(.userless)
        #expect(try await phone.client.session.state() == .loggedOut)
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(phone.server.requests.count { $0.path == "/v1/sessions" } == 1)
    }

    @Test("Activating a saved token shows the account's lists, and says what could be moved") func activation()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let token = try #require(try await phone.client.session.token())
        let tablet = try Phone(phone.server, seed: 2)
        let local = try await tablet.lists.create("Made before")
        let activation = try await tablet.client.session.activate(token: token)
        #expect(activation.movable.map(\.id) == [local.id])
        #expect(try await tablet.client.session.account() == activation.account)
        try await tablet.client.syncNow()
        #expect(try await tablet.lists.all().map(\.id) == [list])
        #expect(try await tablet.lists.all(within: .userless).map(\.id) == [local.id])
    }

    @Test("A token that the server does not know changes nothing on the device") func unknownToken() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try await phone.client.session.account()
        #expect(await code { _ = try await phone.client.session.activate(token: "made up") } == .unauthorized)
        #expect(try await phone.client.session.account() == account)
        #expect(try await phone.lists.all().map(\.id) == [list])
    }

    @Test("Verifying asks the server") func verify() async throws {
        let (phone, _) = try await Phone.withList()
        let account = try await phone.client.session.account()
        #expect(try await phone.client.session.verify().account == account)
        phone.server.refuse(401, .tokenInvalid)
        #expect(await code { try await phone.client.session.verify() } == .unauthorized)
    }

    @Test("Trap: An email in a path is not escaped – one with the delimiters of a path is removed by its own name")
    func escapedEmail() async throws {
        let (phone, _) = try await Phone.withList()
        let email = try #require(Identity("mailto:a+b/c?d%e#f@example.com"))
        #expect(await code { try await phone.client.signIn.remove(email) } == .notFound)
        #expect(phone.server.requests.last?.method == "DELETE")
        let path = try #require(phone.server.requests.last?.path)
        #expect(path == "/v1/identities/mailto%3Aa%2Bb%2Fc%3Fd%25e%23f%40example.com")
        #expect(path.split(separator: "/").last?.removingPercentEncoding == email.text)
        #expect(await code { try await phone.client.signIn.remove(email, evenLast: true) } == .notFound)
        #expect(phone.server.requests.last?.path == "\(path)?last=remove")
    }
}
