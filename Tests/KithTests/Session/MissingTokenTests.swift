import Foundation
import Kith
import KithModel
import Testing

/// As in an app extension with a keychain of its own, and on a new phone that was restored from a backup.
@Suite("A token that is missing on this device") struct MissingTokenTests {
    private let folder = TemporaryFolder()

    /// A device with a synced list, and a second client of its folder, which does not have the token.
    private func clients() async throws -> (phone: Phone, other: Phone, ListID, AccountID) {
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let account = try #require(try await phone.client.session.account())
        return (phone, try other(phone), list, account)
    }

    private func other(_ phone: Phone) throws -> Phone {
        try Phone(phone.server, file: folder.replica, seed: 2, credentials: InMemoryCredentialStore())
    }

    @Test("Trap: A client without the token ends the session of every other client of the folder")
    func otherClient() async throws {
        let (phone, other, list, account) = try await clients()
        try await other.lists.add("Milk", to: list)
        let requests = phone.server.requests.count
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        #expect(phone.server.requests.count == requests, "The server is not asked.")
        let status = try await other.client.status()
        #expect(status.session == .anonymous && status.account == account && status.waiting == 1)
        #expect(status.lastError?.code == .unauthorized && status.retryAt == nil)
        #expect(try await phone.client.status().lastError == nil, "Nothing is stored.")
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
        #expect(try await phone.client.session.account() == account)
    }

    @Test("An anonymous account without records on the server is not replaced") func withoutRecords() async throws {
        let phone = try Phone(file: folder.replica)
        try await phone.client.session.open()
        let account = try await phone.client.session.account()
        #expect(await code { try await other(phone).client.syncNow() } == .unauthorized)
        #expect(try await phone.client.session.account() == account)
        #expect(try phone.account().schedule == RetrySchedule())
    }

    @Test("Commands end instead of waiting for the token") func commands() async throws {
        let (_, other, _, _) = try await clients()
        let client = other.client
        #expect(await code { _ = try await client.session.verify() } == .unauthorized)
        #expect(await code { _ = try await client.session.ready() } == .unauthorized)
        let command = await code { _ = try await client.session.whenReady { try await client.session.verify() } }
        #expect(command == .unauthorized)
        #expect(await code { try await client.caughtUp() } == .unauthorized)
        let deletion = await #expect(throws: KithError.self) { try await client.session.deleteAccount() }
        #expect(deletion?.sentence.hasPrefix("This device does not have the account's token") == true)
    }

    @Test("A log-out waits for the client that has the token, so that the server is told of it") func logOut()
        async throws
    {
        let (phone, other, _, _) = try await clients()
        phone.server.goAway()
        #expect(try await !phone.client.session.logOut().isServerTold)
        phone.server.mend()
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        #expect(phone.server.change { $0.tokens.count } == 1)
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        #expect(phone.server.change { $0.tokens.isEmpty })
    }

    @Test("The user of an identified account signs in again, and nothing is hidden") func identified() async throws {
        let (phone, other, list, account) = try await clients()
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        try await other.lists.add("Milk", to: list)
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        let email = try #require(Identity("mailto:ada@example.com"))
        let sent = try await other.client.signIn.requestCode(for: email)
        let result = try await other.client.signIn.check(World.code, of: sent)
        #expect(result.account == account && !result.isOtherAccount && result.hidden.isEmpty)
        try await other.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test(
        "The live stream opens as soon as the user has signed in, however long its pause is",
        .timeLimit(.minutes(15)))
    func stream() async throws {
        let (phone, _, _, account) = try await clients()
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        let pauses = Pauses()
        let replica = try Replica(
            .file(folder.replica), dependencies: pauses.dependencies(phone.server.clock, seed: 3))
        let client = try KithClient(
            replica: replica, transport: phone.server, credentials: InMemoryCredentialStore())
        try await running(client) {
            // That of the loop, and that of the stream.
            try await until { pauses.underWay.count >= 2 }
            let sent = try await client.signIn.requestCode(for: try #require(Identity("mailto:ada@example.com")))
            _ = try await client.signIn.check(World.code, of: sent)
            _ = try await phone.server.stream(of: client)
        }
    }

    @Test("A new session asks about the lists of an anonymous account, and can take them over") func anonymous()
        async throws
    {
        let (_, other, list, account) = try await clients()
        try await other.lists.add("Milk", to: list)
        let hidden = try await other.client.session.open().hidden
        #expect(hidden.stores.map(\.scope) == [.account(account)])
        #expect(try await other.client.accounts.undecided().map(\.scope) == [.account(account)])
        let moved = try await other.client.accounts.decide(.move, about: .account(account))
        try await other.client.syncNow()
        let copy = try #require(moved[list])
        #expect(other.server.change { $0.titles(in: copy) } == ["Milk"])
    }
}
