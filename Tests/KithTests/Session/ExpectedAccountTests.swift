import Foundation
import Kith
import KithModel
import Testing

@Suite("A call for the account that the user was asked about") struct ExpectedAccountTests {
    /// A call that changes an account, or ends something of it.
    enum Call: CaseIterable {
        case logOut, logOutEverywhere, delete, recoveryCodes

        func make(_ client: KithClient, expecting account: AccountID) async throws {
            switch self {
            case .logOut: try await client.session.logOut(expecting: account)
            case .logOutEverywhere: try await client.session.logOutEverywhere(expecting: account)
            case .delete: try await client.session.deleteAccount(expecting: account)
            case .recoveryCodes: _ = try await client.signIn.createRecoveryCodes(expecting: account)
            }
        }
    }

    @Test(
        "Trap: Another process makes another account the current one while the user is asked – nothing happens to it",
        arguments: Call.allCases)
    func switched(call: Call) async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let asked = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let current = try await other.switchAccount()
        let requests = phone.server.requests.count
        #expect(await code { try await call.make(phone.client, expecting: asked) } == .refused)
        #expect(phone.server.requests.count == requests, "Nothing was sent.")
        #expect(phone.server.change { Set($0.tokens.values) } == [asked, current])
        #expect(try await phone.client.session.account() == current)
        #expect(try await phone.client.accounts.all().allSatisfy(\.hasToken))
    }

    @Test(
        "Trap: Another process adds an account or an edit while the user is asked what to drop – nothing is dropped",
        arguments: [false, true])
    func dropping(isEdit: Bool) async throws {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let seen = try await phone.client.accounts.all()
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        if isEdit { try await other.lists.add("Tea", to: list) } else { try await other.switchAccount() }
        let accounts = phone.client.accounts
        #expect(await code { try await accounts.dropEverything(expecting: seen) } == .refused)
        if isEdit { #expect(await code { try await accounts.drop(seen[0].scope, expecting: seen) } == .refused) }
        let stores = try await accounts.all()
        #expect(stores.count == (isEdit ? 1 : 2) && stores.allSatisfy(\.hasToken))
        #expect(try await phone.lists.all(within: seen[0].scope).map(\.id) == [list])
        try await accounts.dropEverything(expecting: stores)
        #expect(try await accounts.all().map(\.scope) == [.userless])
        #expect(try seen.compactMap(\.account).allSatisfy { try phone.credentials.token(for: $0) == nil })
    }

    @Test("A call for a lost account opens no session", arguments: Call.allCases) func unopened(call: Call) async throws
    {
        let phone = try Phone()
        let lost = AccountID(UUID())
        #expect(await code { try await call.make(phone.client, expecting: lost) } == .refused)
        #expect(phone.server.requests.isEmpty)
    }

    @Test("Trap: Another process switches the account while all sessions are closed – the other one stays signed in")
    func everywhere() async throws {
        let folder = TemporaryFolder()
        let (phone, _) = try await Phone.withList(file: folder.replica)
        let first = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let second = try await other.switchAccount()
        try await other.client.session.select(.account(first))
        phone.server.wire.instead = { request in
            guard request.method == "DELETE" else { return nil }
            try other.execute("UPDATE account SET isCurrent = NOT isCurrent")
            return TransportResponse(status: 204, body: Data())
        }
        #expect(await code { try await phone.client.session.logOutEverywhere() } == .refused)
        #expect(phone.server.requests.filter { $0.method == "DELETE" }.map(\.path) == ["/v1/sessions"])
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.client.session.token() != nil)
    }

    @Test("Trap: Another process switches the account after all sessions were closed – the error says so")
    func closedEverywhere() async throws {
        let (folder, credentials) = (TemporaryFolder(), ReadCredentialStore())
        let phone = try Phone(file: folder.replica, credentials: credentials)
        try await phone.client.session.open()
        let first = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: credentials)
        let second = try await other.switchAccount()
        try await other.client.session.select(.account(first))
        phone.server.wire.instead = { request in
            guard request.method == "DELETE" else { return nil }
            // The log-out begins by reading the token.
            credentials.willRead(.session(first)) { try other.execute("UPDATE account SET isCurrent = NOT isCurrent") }
            return TransportResponse(status: 204, body: Data())
        }
        let error = await #expect(throws: KithError.self) { try await phone.client.session.logOutEverywhere() }
        #expect(error?.code == .refused && error?.sentence.hasPrefix("All sessions of the account are closed.") == true)
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.client.session.token() != nil)
    }

    @Test("An account that is deleted while another process makes another one current counts as deleted") func deleted()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, list) = try await Phone.withList(file: folder.replica)
        let first = try #require(try await phone.client.session.account())
        let other = try Phone(phone.server, file: folder.replica, seed: 2, credentials: phone.credentials)
        let second = try await other.switchAccount()
        try await other.client.session.select(.account(first))
        phone.server.wire.instead = { request in
            guard request.method == "DELETE" else { return nil }
            try other.execute("UPDATE account SET isCurrent = NOT isCurrent")
            return TransportResponse(status: 204, body: Data())
        }
        try await phone.client.session.deleteAccount(expecting: first)
        let store = try #require(try await phone.client.accounts.store(.account(first)))
        #expect(store.state == .inactive && !store.hasToken)
        #expect(try await phone.lists.all(within: .account(first)).map(\.id) == [list])
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.client.session.state() == .anonymous)
    }
}
