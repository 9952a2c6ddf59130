import Foundation
import Kith
import KithModel
import Testing

@Suite("Walls between accounts") struct WallTests {
    /// A device with two accounts: the first with a list, the second current.
    private func twoAccounts() async throws -> (Phone, first: AccountID, ListID, second: AccountID) {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        let second = try await phone.switchAccount()
        return (phone, first, list, second)
    }

    @Test("Law 8: An account's rows, outbox and rejections are invisible to every other account on the device")
    func invisible() async throws {
        let (phone, list, item) = try await Phone.withItem()
        phone.othersRemove(item.id, in: list)
        try await phone.lists.setTicked(item.id, true)
        try await phone.client.syncNow()
        try await phone.lists.add("Unsent", to: list)
        #expect(try await phone.client.rejections().count == 1)
        try await phone.switchAccount()
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.lists.list(list) == nil)
        #expect(try await phone.titles(in: list).isEmpty)
        #expect(try await phone.waiting() == 0)
        #expect(try await phone.client.rejections().isEmpty)
        #expect(await code { try await phone.lists.add("Tea", to: list) } == .notFound)
        #expect(await code { try await phone.lists.setTicked(item.id, true) } == .notFound)
    }

    @Test("Trap: Account switch pushes A's outbox as B") func outboxStaysBehindItsWall() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try #require(try await phone.client.session.account())
        try await phone.lists.add("A's", to: list)
        let other = try await phone.switchAccount()
        try await phone.client.syncNow()
        #expect(phone.server.rounds.filter { $0.account == other }.allSatisfy { $0.mutations.isEmpty })
        #expect(phone.server.change { $0.titles(in: list) }.isEmpty)
        // Unsent changes of one account survive another account signing in on the same device.
        try await phone.client.session.select(.account(first))
        #expect(try await phone.waiting() == 1)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["A's"])
    }

    @Test("Trap: An answer that comes after the account was switched is dropped") func lateAnswer() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let request = try #require(try phone.rounds.begin())
        let answer = phone.server.answer(request)
        try await phone.switchAccount()
        #expect(try phone.rounds.finish(request, answer) == .stale)
        #expect(try await phone.lists.all().isEmpty)
        #expect(try phone.query("SELECT * FROM mutation WHERE taken IS NULL").count == 1)
    }

    @Test("Trap: Status wrong after an account switch – each account has its own") func statusPerAccount() async throws
    {
        let (phone, first, list, second) = try await twoAccounts()
        #expect(try await phone.client.status().hasSynced == false)
        #expect(try await phone.lists.hasSynced() == false)
        #expect(try await phone.lists.hasSynced(within: .account(first)))
        try await phone.client.session.select(.account(first))
        #expect(try await phone.client.status().hasSynced)
        try await phone.lists.add("Milk", to: list)
        phone.server.refuse(503)
        #expect(await code { try await phone.client.syncNow() } == .busy)
        phone.server.mend()
        try await phone.client.session.select(.account(second))
        let status = try await phone.client.status()
        #expect(status.account == second)
        #expect(status.lastError == nil)
        #expect(status.waiting == 0)
        try await phone.client.session.select(.account(first))
        #expect(try await phone.client.status().waiting == 1)
        #expect(try await phone.client.status().lastError?.code == .busy)
    }

    @Test("An account without a session on this device cannot be selected") func noSession() async throws {
        let (phone, first, _, _) = try await twoAccounts()
        try await phone.client.session.select(.userless)
        #expect(try await phone.client.session.state() == .loggedOut)
        try phone.credentials.deleteToken(for: first)
        #expect(await code { try await phone.client.session.select(.account(first)) } == .unauthorized)
    }

    // MARK: Moving

    @Test("Moving a list that was never sent keeps its identity and its items'") func movesUnsent() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Made before")
        let item = try await phone.lists.add("Milk", to: list.id)
        let other = try await phone.switchAccount()
        let moved = try await phone.lists.moveLists(from: .userless, to: .account(other))
        #expect(moved == [list.id: list.id])
        #expect(try await phone.lists.items(in: list.id).map(\.id) == [item.id])
        #expect(try await phone.lists.all(within: .userless).isEmpty)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list.id) } == ["Milk"])
        #expect(try await phone.waiting() == 0)
    }

    @Test("Moving a list that the server knows returns the new identity, and removes the old list") func movesSent()
        async throws
    {
        let (phone, first, list, second) = try await twoAccounts()
        try await phone.client.session.select(.account(first))
        try await phone.lists.add("Milk", to: list, count: 3, category: "Dairy", comment: "oat")
        let tick = try await phone.lists.add("Tea", to: list)
        try await phone.lists.setTicked(tick.id, true)
        try await phone.client.syncNow()
        let moved = try await phone.lists.moveLists([list], from: .account(first), to: .account(second))
        let new = try #require(moved[list])
        #expect(new != list)
        #expect(try await phone.lists.all().isEmpty)
        try await phone.client.syncNow()
        try await phone.client.session.select(.account(second))
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["Groceries"])
        let items = try await phone.lists.items(in: new)
        #expect(items.map(\.title) == ["Milk", "Tea"])
        #expect(items.map(\.count) == [3, 1])
        #expect(items.map(\.isTicked) == [false, true])
        #expect(items.first?.category == "Dairy")
        #expect(phone.server.change { $0.titles(in: new) } == ["Milk", "Tea"])
        #expect(phone.server.change { $0.fields(list, in: list) } == nil)
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Lists can move from an account to the userless store, too") func movesOut() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        let moved = try await phone.lists.moveLists(from: .account(account), to: .userless)
        #expect(try await phone.lists.all(within: .userless).map(\.id) == [try #require(moved[list])])
        try await phone.client.session.select(.userless)
        #expect(try await phone.lists.all().map(\.id) == [try #require(moved[list])])
        try await phone.client.session.select(.account(account))
        #expect(try await phone.lists.all(within: .account(account)).isEmpty)
    }

    @Test("A list of someone else is left, not removed, when it is moved") func movesGuestList() async throws {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .viewer)
        let account = try #require(try await guest.client.session.account())
        try await guest.client.session.logOut()
        let moved = try await guest.lists.moveLists(from: .account(account), to: .userless)
        #expect(try await guest.titles(in: try #require(moved[list])) == ["Milk"])
        #expect(try await guest.lists.all().map(\.role) == [.owner])
        #expect(owner.server.change { $0.titles(in: list) } == ["Milk"])
    }

    @Test("Moving is atomic and reports failure") func moveFails() async throws {
        let (phone, first, list, second) = try await twoAccounts()
        let unknown = ListID(UUID())
        #expect(
            await code {
                _ = try await phone.lists.moveLists([list, unknown], from: .account(first), to: .account(second))
            } == .notFound)
        #expect(try await phone.lists.all(within: .account(first)).map(\.id) == [list])
        #expect(try await phone.lists.all().isEmpty)
        #expect(
            await code { _ = try await phone.lists.moveLists(from: .account(AccountID(UUID())), to: .account(second)) }
                == .notFound)
        #expect(try await phone.lists.moveLists(from: .account(first), to: .account(first)).isEmpty)
    }

    @Test("A count that additions moved beyond its range is limited in a copy") func copiesCountsInRange() async throws
    {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        let item = try await phone.lists.add("Rice", to: list, count: 9_000)
        try await phone.client.syncNow()
        phone.othersWrite(item.id, ["count": 18_000], in: list)
        try await phone.client.syncNow()
        #expect(try await phone.lists.item(item.id)?.count == 9_999)
        let other = try await phone.switchAccount()
        let moved = try await phone.lists.moveLists(from: .account(account), to: .account(other))
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().isEmpty)
        #expect(try await phone.lists.items(in: try #require(moved[list])).map(\.count) == [9_999])
    }

    // MARK: Dropping

    @Test("Dropping one account's data does not affect other accounts") func dropOne() async throws {
        let (phone, first, _, second) = try await twoAccounts()
        let mine = try await phone.lists.create("Second's")
        try await phone.client.accounts.drop(.account(first))
        #expect(try await phone.lists.all().map(\.id) == [mine.id])
        #expect(try await phone.client.accounts.all().compactMap(\.account) == [second])
        #expect(try phone.credentials.token(for: first) == nil)
        #expect(try phone.credentials.token(for: second) != nil)
        #expect(try phone.query("SELECT DISTINCT account FROM list").count == 1)
    }

    @Test("Dropping the current account's data makes the userless store current") func dropCurrent() async throws {
        let (phone, list) = try await Phone.withList()
        let account = try #require(try await phone.client.session.account())
        try await phone.lists.add("Unsent", to: list)
        try await phone.client.accounts.drop(.account(account))
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.client.session.account() == nil)
        #expect(try await phone.client.session.state() == .loggedOut)
        for table in ["list", "item", "mutation", "feed", "rejection"] {
            #expect(try phone.query("SELECT * FROM \(table)").isEmpty)
        }
    }

    @Test("Dropping the userless store leaves the accounts") func dropUserless() async throws {
        let phone = try Phone()
        try await phone.lists.create("Made before")
        try await phone.client.accounts.drop(.userless)
        #expect(try await phone.lists.all().isEmpty)
        #expect(try await phone.client.session.state() == .initial)
        try await phone.lists.create("After")
        try await phone.client.syncNow()
        #expect(try await phone.lists.all().map(\.name) == ["After"])
    }

    @Test("Dropping everything leaves an empty store that works") func dropAll() async throws {
        let (phone, first, _, second) = try await twoAccounts()
        try await phone.client.accounts.dropEverything()
        #expect(try await phone.client.accounts.all().compactMap(\.account).isEmpty)
        #expect(try phone.credentials.token(for: first) == nil)
        #expect(try phone.credentials.token(for: second) == nil)
        #expect(try await phone.lists.create("New").name == "New")
    }
}
