import Foundation
import Kith
import KithModel
import Testing

@Suite("A call for the account that was current when it began") struct CallAccountTests {
    private let folder = TemporaryFolder()

    /// A device with a list, and another process of the same folder.
    private func processes() async throws -> (phone: Phone, other: Phone) {
        let (phone, _) = try await Phone.withList(file: folder.replica)
        return (phone, try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials))
    }

    /// A second account of the device, which is not shown.
    private func hiddenAccount(_ phone: Phone) async throws -> AccountID {
        let first = try #require(try await phone.client.session.account())
        let second = try await phone.switchAccount()
        try await phone.client.session.select(.account(first))
        return second
    }

    @Test("Trap: Another process shows another account – a call neither changes it nor sends with its token")
    func switched() async throws {
        let (phone, other) = try await processes()
        let second = try await hiddenAccount(other)
        let replica = phone.client.replica
        let ended = await code {
            try await replica.forCurrentAccount {
                try await other.client.session.select(.account(second))
                _ = try await phone.lists.create("Tea")
            }
        }
        #expect(ended == .refused)
        #expect(try await phone.lists.all(within: .account(second)).isEmpty)

        try await other.client.session.open()
        let requests = phone.server.requests.count { $0.path == "/v1/session" }
        let refused = await code {
            try await replica.forCurrentAccount {
                try await other.client.session.select(.account(second))
                try await phone.client.session.verify()
            }
        }
        #expect(refused == .refused)
        #expect(phone.server.requests.count { $0.path == "/v1/session" } == requests)
        // Outside of the call, the account is the current one as always.
        try await phone.client.session.verify()
        _ = try await phone.lists.create("Tea")
    }

    @Test("Trap: Another process shows another account while a link is accepted – it does not join the list")
    func acceptance() async throws {
        let (phone, other) = try await processes()
        _ = try await hiddenAccount(other)
        phone.server.wire.instead = { request in
            if request.path == "/v1/sync" {
                try other.execute(
                    "UPDATE account SET isCurrent = (key = (SELECT max(key) FROM account WHERE id IS NOT NULL))")
            }
            return nil
        }
        #expect(await code { _ = try await phone.lists.accept(link: "secret") } == .refused)
        #expect(!phone.server.requests.contains { $0.path.hasPrefix("/v1/links/") })
    }

    @Test("The app itself shows another account: the call does not go on with it")
    func ownSwitch() async throws {
        let (phone, _) = try await processes()
        let ended = await code {
            try await phone.client.replica.forCurrentAccount {
                try await phone.switchAccount()
                _ = try await phone.lists.create("Tea")
            }
        }
        #expect(ended == .refused)
    }

    @Test("Within whenReady, a session that ends during a call still leads to reset") func whenReady() async throws {
        let (phone, other) = try await processes()
        let second = try await hiddenAccount(other)
        phone.server.wire.meanwhile = { _ in
            phone.server.wire.meanwhile = { _ in }
            try await phone.client.session.select(.account(second))
        }
        let ended = await code {
            _ = try await phone.client.session.whenReady { try await phone.lists.accept(link: "secret") }
        }
        #expect(ended == .reset)
    }

    @Test(
        "Trap: Another process shows another account while a command runs, and a round changes its session – nothing more is sent"
    )
    func changedElsewhere() async throws {
        let (phone, other) = try await processes()
        let second = try await hiddenAccount(other)
        let requests = phone.server.requests.count { $0.path == "/v1/session" }
        let ended = await code {
            _ = try await phone.client.session.whenReady {
                try await other.client.session.select(.account(second))
                phone.server.change { $0.identify(second) }
                try await phone.client.syncNow()
                return try await phone.client.session.verify()
            }
        }
        #expect(ended == .reset)
        #expect(phone.server.requests.count { $0.path == "/v1/session" } == requests)
    }

    @Test("Edits within a command whose session has ended go to the current store, as always") func editsAfterEnd()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        try await phone.client.session.whenReady {
            try await phone.client.session.logOut()
            _ = try await phone.lists.create("Tea")
            try await phone.client.sharing.use(code: "BEN-TEA")
        }
        #expect(try await phone.lists.all(within: .userless).map(\.name) == ["Tea"])
        #expect(try await phone.client.sharing.claims().map(\.code.text) == ["BEN-TEA"])
    }

    @Test("A call goes on with the first session of its store, whichever process opens it", arguments: [false, true])
    func firstSession(isElsewhere: Bool) async throws {
        let phone = try Phone(file: folder.replica)
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        try await phone.client.replica.forCurrentAccount {
            try await (isElsewhere ? other : phone).client.syncNow()
            _ = try await phone.lists.create("Tea")
            try await phone.client.session.verify()
        }
        #expect(try await phone.lists.all().map(\.name) == ["Tea"])
    }

    @Test("A call goes on with the session that replaces a refused anonymous one; an exact call reads nothing of it")
    func replaced() async throws {
        let (phone, _) = try await processes()
        let first = try await phone.client.session.account()
        phone.server.change { $0.tokens = [:] }
        try await phone.client.replica.forCurrentAccount {
            try await phone.client.syncNow()
            _ = try await phone.lists.create("Tea")
            try await phone.client.session.verify()
        }
        #expect(try await phone.client.session.account() != first)

        phone.server.change { $0.tokens = [:] }
        let ended = await code {
            try await phone.client.replica.forCurrentAccount(isExact: true) {
                try await phone.client.syncNow()
                _ = try await phone.lists.all()
            }
        }
        #expect(ended == .refused)
    }

    @Test("An edit is saved although the token is refused, because the store is the same")
    func invalidToken() async throws {
        let (phone, _) = try await processes()
        let account = try #require(try await phone.client.session.account())
        phone.server.change { $0.identify(account) }
        try await phone.client.syncNow()
        phone.server.change { $0.tokens = [:] }
        try await phone.client.replica.forCurrentAccount {
            try? await phone.client.syncNow()
            _ = try await phone.lists.create("Tea")
        }
        #expect(try await phone.client.session.state() == .invalidToken)
        #expect(try await phone.waiting() > 0)
    }
}
