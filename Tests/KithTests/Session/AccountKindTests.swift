import Foundation
import Kith
import KithModel
import Testing

@Suite("All devices of an account know whether it is identified") struct AccountKindTests {
    private let server = FakeServer()
    private let phone: Phone
    private let tablet: Phone
    private let account: AccountID
    private let list: ListID

    private static var email: Identity {
        get throws { try #require(Identity("mailto:ada@example.com")) }
    }

    /// A phone with a synced list, and a tablet of the same account with a session of its own.
    init() async throws {
        let (phone, list) = try await Phone.withList(server)
        let account = try #require(try await phone.client.session.account())
        let tablet = try Phone(server, seed: 2)
        server.change { $0.tokens["tablet"] = account }
        _ = try await tablet.client.session.activate(token: "tablet")
        try await tablet.client.syncNow()
        #expect(try await tablet.client.session.state() == .anonymous)
        (self.phone, self.tablet, self.account, self.list) = (phone, tablet, account, list)
    }

    private func prove() async throws {
        let sent = try await phone.client.signIn.requestCode(for: Self.email)
        _ = try await phone.client.signIn.check(World.code, of: sent)
    }

    @Test("A code may have spaces and hyphens; one with other digits than those of the message costs no try")
    func typedCode() async throws {
        let sent = try await phone.client.signIn.requestCode(for: Self.email)
        for typed in ["", "123", "1234567", "12345x"] {
            #expect(await code { _ = try await phone.client.signIn.check(typed, of: sent) } == .codeWrong, "\(typed)")
        }
        #expect(!server.requests.contains { $0.path.hasPrefix("/v1/codes/") })
        _ = try await phone.client.signIn.check("123-456 ", of: sent)
        #expect(try await phone.client.session.state() == .identified)
    }

    @Test("One proves an email, and the other learns it in its next round; so too when the email is removed")
    func learnt() async throws {
        try await prove()
        #expect(try await phone.client.session.state() == .identified)
        try await tablet.client.syncNow()
        #expect(try await tablet.client.session.state() == .identified)
        #expect(try await tablet.client.accounts.store(.account(account))?.isIdentified == true)
        server.change { $0.identities = [:] }
        try await tablet.client.syncNow()
        #expect(try await tablet.client.session.state() == .anonymous)
    }

    @Test("A way in that was removed is reported as removed, although the server cannot be asked afterwards")
    func lostFollowUp() async throws {
        try await prove()
        server.wire.instead = { [server] request in
            if request.path == "/v1/session" { throw KithError(.offline, "The server cannot be reached.") }
            guard request.method == "DELETE" else { return nil }
            server.change { $0.identities = [:] }
            return TransportResponse(status: 204, body: Data())
        }
        try await phone.client.signIn.passkeys.remove(PasskeyID(UUID()))
        try await phone.client.signIn.remove(Self.email, evenLast: true)
        #expect(try await phone.client.session.state() == .identified)
        server.mend()
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .anonymous)
    }

    @Test("Law 13: A device that was signed out keeps its data and waits, although another device has proved the email")
    func signedOut() async throws {
        try await prove()
        try await tablet.client.syncNow()
        try await tablet.lists.add("Unsent", to: list)
        server.change { $0.tokens["tablet"] = nil }
        #expect(await code { try await tablet.client.syncNow() } == .unauthorized)
        #expect(try await tablet.client.session.state() == .invalidToken)
        #expect(try await tablet.titles(in: list) == ["Unsent"])
        #expect(server.requests.count { $0.path == "/v1/sessions" } == 1, "No new account takes its place.")
    }

    @Test("The state is reported once, when the round was applied") func reported() async throws {
        try await prove()
        let seen = Kept<[SessionState]>([])
        let states = tablet.client.session.states()
        let reading = Task { for await state in states { seen.change { $0.append(state) } } }
        try await until { seen.value == [.anonymous] }
        try await tablet.client.syncNow()
        try await tablet.client.syncNow()
        try await until { seen.value == [.anonymous, .identified] }
        reading.cancel()
    }

    @Test("An answer that is older than the device's own sign-in changes nothing") func late() async throws {
        let (client, sent) = (phone.client, try await phone.client.signIn.requestCode(for: Self.email))
        server.wire.meanwhile = { _ in _ = try await client.signIn.check(World.code, of: sent) }
        server.wire.change = { request, answer in
            if request.kind == "anonymous" { answer.kind = "anonymous" }
        }
        #expect(try phone.rounds.begin()?.kind == "anonymous")
        try await client.syncNow()
        #expect(try await client.session.state() == .identified)
    }

    @Test("Law 12: A server of an older version tells no kind, and the device keeps what it knows")
    func older() async throws {
        try await prove()
        server.change { world in
            world.tellsKinds = false
            world.identities = [:]
        }
        try await phone.client.syncNow()
        #expect(try await phone.client.session.state() == .identified)
    }

    @Test("A kind of a newer server counts as anonymous") func newer() async throws {
        server.wire.change = { _, answer in answer.kind = "organisation" }
        try await tablet.client.syncNow()
        #expect(try await tablet.client.session.state() == .anonymous)
    }
}
