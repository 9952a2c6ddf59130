import Foundation
import Kith
import KithModel
import Testing

@Suite("Stores on a device") struct StoreTests {
    /// A device with two accounts: the first with a list, an unsent edit and a rejection, the second current.
    private func twoStores(_ file: URL? = nil) async throws -> (Phone, first: AccountID, ListID, second: AccountID) {
        let (phone, list) = try await Phone.withList(file: file)
        let first = try #require(try await phone.client.session.account())
        let item = try await phone.lists.add("Gone", to: list)
        try await phone.client.syncNow()
        phone.othersRemove(item.id, in: list)
        try await phone.lists.setTicked(item.id, true)
        try await phone.client.syncNow()
        try await phone.lists.add("Unsent", to: list)
        let second = try await phone.switchAccount()
        return (phone, first, list, second)
    }

    @Test("Law 13: Every store on the device is listed, whichever account is current") func listed() async throws {
        let (phone, first, _, second) = try await twoStores()
        let stores = try await phone.client.accounts.all()
        #expect(stores.map(\.scope) == [.account(first), .account(second)])
        #expect(stores.map(\.isCurrent) == [false, true])
        #expect(stores.map(\.lists) == [1, 0])
        #expect(stores.map(\.waiting) == [1, 0])
        #expect(stores.map(\.rejections) == [1, 0])
        #expect(stores.map(\.hasToken) == [true, true])
        #expect(stores.map(\.state) == [.anonymous, .anonymous])
        #expect(stores.first?.oldestWaiting == phone.clock.now.date)
        #expect(stores.last?.isEmpty == true)
    }

    @Test("Law 13: Lists, items, people and rejections of every store can be read") func read() async throws {
        let (phone, first, list, _) = try await twoStores()
        #expect(try await phone.lists.all(within: .account(first)).map(\.id) == [list])
        #expect(try await phone.lists.items(in: list, within: .account(first)).map(\.title) == ["Unsent"])
        #expect(try await phone.lists.members(of: list, within: .account(first)).map(\.id) == [first])
        #expect(try await phone.client.rejections(within: .account(first)).count == 1)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.lists.items(in: list, within: .userless).isEmpty)
    }

    @Test("Law 13: A rejection of any store can be dismissed") func dismissal() async throws {
        let (phone, first, _, _) = try await twoStores()
        let scope = AccountScope.account(first)
        let rejection = try #require(try await phone.client.rejections(within: scope).first)
        try await phone.client.dismiss(rejection.id)
        try await phone.client.dismiss(rejection.id, within: .userless)
        try await phone.client.dismissAllRejections()
        #expect(try await phone.client.rejections(within: scope).map(\.id) == [rejection.id])
        try await phone.client.dismiss(rejection.id, within: scope)
        #expect(try await phone.client.rejections(within: scope).isEmpty)
    }

    @Test("Law 13: The status names the other stores that have unsent edits") func statusNamesStores() async throws {
        let (phone, first, _, second) = try await twoStores()
        let status = try await phone.client.status()
        #expect(status.waiting == 0)
        #expect(status.unsentElsewhere.map(\.scope) == [.account(first)])
        #expect(status.unsentElsewhere.map(\.waiting) == [1])
        #expect(status.unsentElsewhere.map(\.hasToken) == [true])
        try await phone.client.session.select(.account(first))
        try await phone.client.syncNow()
        #expect(try await phone.client.status().unsentElsewhere.isEmpty)
        try await phone.client.session.select(.account(second))
        #expect(try await phone.client.status().otherStores.map(\.scope) == [.account(first)])
        #expect(try await phone.client.status().unsentElsewhere.isEmpty, "All of it is sent.")
    }

    @Test("Trap: The tokens of other stores cannot be read, as while a phone is locked – the status is still there")
    func unreadableTokens() async throws {
        let credentials = ReadCredentialStore()
        let phone = try Phone(credentials: credentials)
        try await phone.lists.create("Groceries")
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        try await phone.switchAccount()
        credentials.willRead(.session(first)) { throw KithError(.credentials, "The keychain is locked.") }
        let status = try await phone.client.status()
        #expect(status.lastError?.code == .credentials)
        #expect(status.otherStores.map(\.scope) == [.account(first)])
        #expect(try await phone.client.status().lastError == nil)
    }

    @Test("Trap: Signing in hides lists and unsent edits without a word") func signIn() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.add("Unsent", to: list)
        var hidings = phone.client.accounts.hidden().makeAsyncIterator()
        let session = phone.server.change { $0.openSession(at: phone.clock.now) }
        let activation = try await phone.client.session.activate(token: session.token)
        #expect(activation.hidden.stores.map(\.scope) == [.account(first)])
        #expect(activation.hidden.lists == 1)
        #expect(activation.hidden.waiting == 1)
        #expect(activation.hidden.stores.first?.hasToken == true)
        #expect(await hidings.next() == activation.hidden)
        for store in activation.hidden.stores {
            try await phone.lists.moveLists(from: store.scope, to: activation.hidden.current)
        }
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
    }

    @Test("Law 12: A list that moves keeps all fields of newer versions that its items can carry") func newerFields()
        async throws
    {
        let (phone, list, milk) = try await Phone.withItem()
        let newer = Fields(
            uniqueKeysWithValues: (0..<Limits.carriedFields).map { ("future\($0)", FieldValue.integer(Int64($0))) })
        phone.othersWrite(milk.id, newer, in: list)
        try await phone.client.syncNow()
        let first = try #require(try await phone.client.session.account())
        let second = try await phone.switchAccount()
        let moved = try await phone.lists.moveLists(from: .account(first), to: .account(second))
        try await phone.client.syncNow()
        let copy = try #require(moved[list])
        let item = try #require(try await phone.lists.items(in: copy).first)
        let fields = phone.server.change { $0.fields(item.id, in: copy) } ?? [:]
        #expect(fields.filter { newer[$0.key] != nil } == newer)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Every call that makes another store current reports what it hides") func whatIsHidden() async throws {
        let (phone, first, _, second) = try await twoStores()
        #expect(try await phone.client.session.select(.account(first)).isEmpty, "The second store is empty.")
        #expect(try await phone.client.session.select(.userless).stores.map(\.scope) == [.account(first)])
        try await phone.lists.create("Alone")
        #expect(try await phone.client.session.select(.account(second)).stores.map(\.scope) == [.userless])
        try await phone.client.session.select(.account(first))
        #expect(try await phone.client.session.logOut().hidden.stores.map(\.scope) == [.account(first)])
    }

    @Test("Every listener receives the hidden stores; the last hundred unread announcements are kept")
    func listeners() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.add("Unsent", to: list)
        var one = phone.client.accounts.hidden().makeAsyncIterator()
        var other = phone.client.accounts.hidden().makeAsyncIterator()
        try await phone.client.session.select(.userless)
        try await phone.lists.create("Alone")
        for _ in 0..<52 {
            try await phone.client.session.select(.account(first))
            try await phone.client.session.select(.userless)
        }
        // 105 in all, of which the first five are gone.
        for _ in 0..<50 {
            #expect(await one.next()?.current == .account(first))
            #expect(await one.next()?.current == .userless)
        }
        #expect(await other.next()?.current == .account(first))
    }

    @Test("An anonymous session that the server no longer knows is replaced; what is hidden by that is announced")
    func replaced() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.create("Kept")
        try await phone.client.syncNow()
        try await phone.lists.add("Unsent", to: list)
        var hidings = phone.client.accounts.hidden().makeAsyncIterator()
        phone.server.change { $0.tokens = [:] }
        try await phone.client.syncNow()
        let second = try #require(try await phone.client.session.account())
        #expect(second != first)
        let hidden = try #require(await hidings.next())
        #expect(hidden.stores.map(\.scope) == [.account(first)])
        #expect(hidden.current == .account(second))
        let status = try await phone.client.status()
        #expect(status.session == .anonymous)
        // The list with the unsent edit has gone to the new account, so nothing is left that could never be sent.
        #expect(status.otherStores.map(\.state) == [.invalidToken] && status.unsentElsewhere.isEmpty)
        #expect(try await phone.lists.all(within: .account(first)).map(\.name) == ["Kept"])
        try await phone.lists.moveLists(from: .account(first), to: hidden.current)
        try await phone.client.syncNow()
        #expect(try await phone.client.status().otherStores.isEmpty)
        let moved = try #require(try await phone.lists.all().first { $0.name == "Groceries" })
        #expect(phone.server.change { $0.titles(in: moved.id) } == ["Unsent"])
        #expect(phone.server.change { $0.fields(list, in: list) } != nil, "The old account's list is not removed.")
    }

    @Test("An account that the server has deleted stays readable, and its lists can be moved") func deletedByOperator()
        async throws
    {
        let (phone, first, list, second) = try await twoStores()
        try await phone.client.session.select(.account(first))
        phone.server.refuse(401, .accountClosed) { $0 == "/v1/sync" }
        #expect(await code { try await phone.client.syncNow() } == .accountClosed)
        #expect(try await phone.titles(in: list) == ["Unsent"])
        phone.server.mend()
        try await phone.client.session.select(.account(second))
        let store = try #require(try await phone.client.accounts.store(.account(first)))
        #expect(store.state == .inactive)
        #expect(store.waiting == 1)
        #expect(
            await code { _ = try await phone.lists.moveLists(from: .account(second), to: .account(first)) } == .refused)
        let moved = try await phone.lists.moveLists(from: .account(first), to: .account(second))
        #expect(try await phone.titles(in: try #require(moved[list])) == ["Unsent"])
        #expect(try await phone.client.accounts.store(.account(first))?.waiting == 0)
    }

    @Test(
        "Trap: An account is deleted on another device, and nobody ever sends the next edits – a new account takes them"
    )
    func deletedElsewhere() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        phone.server.refuse(401, .accountClosed) { $0 == "/v1/sync" }
        #expect(await code { try await phone.client.syncNow() } == .accountClosed)
        phone.server.mend()
        #expect(try await phone.client.session.state() == .inactive)
        try await phone.lists.add("Milk", to: list)
        #expect(await code { try await phone.client.syncNow() } == .unauthorized)
        try await phone.client.session.open()
        #expect(try await phone.client.accounts.undecided().map(\.scope) == [.account(first)])
        let moved = try await phone.client.accounts.decide(.move, about: .account(first))
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: moved[list] ?? list) } == ["Milk"])
        #expect(try await phone.client.status().unsentElsewhere.isEmpty)
    }

    @Test("Deleting an account keeps its data on the device, unless it is dropped, too") func deleteKeeps()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        phone.server.wire.instead = { $0.path == "/v1/account" ? TransportResponse(status: 204, body: Data()) : nil }
        let deletion = try await phone.client.session.deleteAccount()
        #expect(!deletion.isDropped)
        #expect(deletion.store.lists == 1)
        let store = try #require(try await phone.client.accounts.store(.account(account)))
        #expect(store.state == .inactive)
        #expect(!store.hasToken)
        let moved = try await phone.lists.moveLists(from: .account(account), to: .userless)
        #expect(try await phone.lists.all().map(\.id) == [try #require(moved[list])])
    }

    @Test("Dropping reports what it has dropped") func dropSays() async throws {
        let (phone, first, _, _) = try await twoStores()
        let dropped = try await phone.client.accounts.drop(.account(first))
        #expect(dropped.map(\.lists) == [1])
        #expect(dropped.map(\.waiting) == [1])
        #expect(try await phone.client.accounts.drop(.userless).isEmpty)
    }

    @Test("An account with a token that became invalid before another was activated is listed as such")
    func diedBefore() async throws {
        let (phone, _) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        let second = phone.server.change { world in
            world.tokens = [:]
            return world.openSession(at: phone.clock.now)
        }
        phone.server.wire.instead = { request in
            if request.path == "/v1/sessions" { throw KithError(.offline, "Gone.") }
            return nil
        }
        #expect(await code { try await phone.client.syncNow() } == .offline)
        #expect(try await phone.client.session.account() == first)
        #expect(
            try await phone.client.session.activate(token: second.token).hidden.stores.map(\.state) == [.invalidToken])
    }

    // MARK: One store

    @Test("A pinned client reads, edits and syncs its store, and does not change which store is current")
    func oneStore()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, first, list, second) = try await twoStores(folder.replica)
        let other = try Phone(
            phone.server, file: folder.replica, seed: 2, credentials: phone.credentials, account: .account(first))
        #expect(try await other.titles(in: list) == ["Unsent"])
        try await other.lists.add("Tea", to: list)
        #expect(try await other.waiting() == 2)
        #expect(try await phone.waiting() == 0)
        try await other.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Tea", "Unsent"])
        #expect(phone.server.rounds.last?.account == first)
        #expect(try await phone.client.session.account() == second)
        #expect(try await phone.client.accounts.all().map(\.isCurrent) == [false, true])
    }

    @Test("A pinned client can drop the current store: the userless store takes its place")
    func oneStoreDrops()
        async throws
    {
        let folder = TemporaryFolder()
        let (phone, first, _, second) = try await twoStores(folder.replica)
        let other = try Phone(
            phone.server, file: folder.replica, seed: 2, credentials: phone.credentials, account: .account(first))
        #expect(try await other.client.accounts.drop(.account(second)).map(\.scope) == [.account(second)])
        #expect(try await phone.client.session.account() == nil)
        #expect(try await phone.client.session.state() == .loggedOut)
        #expect(try await phone.client.accounts.all().map(\.scope) == [.account(first), .userless])
        #expect(try await phone.client.accounts.all().map(\.isCurrent) == [false, true])
        // One that is not the current one leaves the current one alone.
        let third = try await phone.switchAccount()
        try await other.client.accounts.drop(.userless)
        #expect(try await phone.client.session.account() == third)
        #expect(try await phone.client.accounts.all().map(\.isCurrent) == [false, true])
    }

    @Test("A pinned client opens no session, and leaves the current one alone") func oneStoreStays() async throws {
        let folder = TemporaryFolder()
        let (phone, first, _, second) = try await twoStores(folder.replica)
        let other = try Phone(
            phone.server, file: folder.replica, seed: 2, credentials: phone.credentials, account: .account(first))
        #expect(await code { try await other.client.session.open() } == .refused)
        #expect(await code { try await other.client.session.select(.userless) } == .refused)
        #expect(await code { try await other.client.accounts.drop(.account(first)) } == .refused)
        phone.server.change { world in world.tokens = world.tokens.filter { $0.value != first } }
        #expect(await code { try await other.client.syncNow() } == .unauthorized)
        #expect(try await other.client.session.state() == .invalidToken)
        #expect(try await other.client.session.account() == first)
        try await other.client.session.logOut()
        #expect(try await other.client.session.state() == .loggedOut)
        #expect(try await phone.client.session.account() == second)
        let userless = try Phone(phone.server, file: folder.replica, account: .userless)
        try await userless.lists.create("Alone")
        #expect(try await phone.lists.all(within: .userless).map(\.name) == ["Alone"])
        #expect(await code { try await userless.client.syncNow() } == .unauthorized)
        #expect(
            await code { _ = try Phone(file: folder.replica, account: .account(AccountID(UUID()))) } == .notFound)
    }
}
