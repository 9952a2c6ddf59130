import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("The signal that everything was read") struct PopulatedTests {
    /// A server with a list of somebody that the phone will be in, and the phone.
    private func phone(
        _ server: FakeServer = FakeServer(), titles: [String] = ["Milk"], postsNotifications: Bool = false
    ) async throws -> (Phone, String) {
        let (owner, list) = try await Phone.withList(server)
        for title in titles { try await owner.lists.add(title, to: list) }
        try await owner.client.syncNow()
        let session = owner.server.change { world in
            let session = world.openSession(at: owner.clock.now)
            world.share(list, with: session.account, as: .editor, at: owner.clock.now)
            return session
        }
        return (try Phone(owner.server, seed: 2, postsNotifications: postsNotifications), session.token)
    }

    /// What a listener hears from here on, up to the first change that fits, that one included.
    private func heard<Record: Sendable & Hashable>(
        _ changes: inout AsyncStream<Changed<Record>>.Iterator, upTo fits: (Changed<Record>) -> Bool
    ) async -> [Changed<Record>] {
        var told: [Changed<Record>] = []
        while let change = await changes.next(isolation: #isolation) {
            told.append(change)
            if fits(change) { break }
        }
        return told
    }

    @Test("Lists, items, people and the network send it once, after everything can be read") func once() async throws {
        let (phone, token) = try await phone()
        _ = try await phone.client.session.activate(token: token)
        var lists = phone.lists.changes().makeAsyncIterator()
        var items = phone.lists.itemChanges().makeAsyncIterator()
        var network = phone.client.network.changes().makeAsyncIterator()
        #expect(await lists.next()?.isPopulated == false)
        #expect(await items.next()?.isPopulated == false)
        #expect(await network.next()?.isPopulated == false)
        try await phone.client.syncNow()
        let added = try #require(await lists.next())
        #expect(added.added.count == 1 && !added.isPopulated)
        let populated = try #require(await lists.next())
        #expect(populated.isPopulated && populated.isEmpty)
        #expect(try await phone.lists.all().count == 1)
        #expect(await items.next()?.added.map(\.title) == ["Milk"])
        #expect(await items.next()?.isPopulated == true)
        #expect(await network.next()?.isPopulated == true)
        // Not again: what follows are changes.
        try await phone.client.syncNow()
        try await phone.lists.create("Wishes")
        let change = try #require(await lists.next())
        #expect(change.added.map(\.name) == ["Wishes"] && !change.isPopulated)
    }

    @Test("Later listeners get it with the state") func late() async throws {
        let (phone, token) = try await phone()
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        var lists = phone.lists.changes().makeAsyncIterator()
        var network = phone.client.network.changes(in: .requests).makeAsyncIterator()
        let state = try #require(await lists.next())
        #expect(state.origin == .state && state.isPopulated && state.added.count == 1)
        #expect(await network.next()?.isPopulated == true)
    }

    @Test("It comes even if the server has nothing, and another account has its own") func accounts()
        async throws
    {
        let (phone, token) = try await phone()
        var lists = phone.lists.changes().makeAsyncIterator()
        #expect(await lists.next()?.isPopulated == false)
        try await phone.client.syncNow()
        #expect(await lists.next()?.isPopulated == true)
        _ = try await phone.client.session.activate(token: token)
        try await phone.client.syncNow()
        #expect(await lists.next()?.added.count == 1)
        #expect(await lists.next()?.isPopulated == true)
    }

    @Test("The people of my lists send it once, after they can be read") func people() async throws {
        let (phone, token) = try await phone()
        _ = try await phone.client.session.activate(token: token)
        var members = phone.lists.memberChanges().makeAsyncIterator()
        #expect(await members.next()?.isPopulated == false)
        try await phone.client.syncNow()
        let added = try #require(await members.next())
        #expect(Set(added.added.map(\.role)) == [.owner, .editor])
        #expect(added.added.count == 2 && !added.isPopulated)
        let populated = try #require(await members.next())
        #expect(populated.isPopulated && populated.isEmpty && populated.origin == .server)
        let list = try #require(try await phone.lists.all().first)
        #expect(try await phone.lists.members(of: list.id).count == 2)
        // Not again: what follows are changes.
        try await phone.client.syncNow()
        try await phone.lists.setMyName("Grace", in: list.id)
        let change = try #require(await members.next())
        #expect(change.modified.map(\.name) == ["Grace"])
        #expect(!change.isPopulated)
    }

    @Test("A first round of several pages sends it once, after the last page") func pages() async throws {
        let titles = (0..<10).map { "Item \($0)" }
        let (phone, token) = try await phone(FakeServer(page: 3), titles: titles)
        _ = try await phone.client.session.activate(token: token)
        var lists = phone.lists.changes().makeAsyncIterator()
        var items = phone.lists.itemChanges().makeAsyncIterator()
        var members = phone.lists.memberChanges().makeAsyncIterator()
        #expect(await lists.next()?.isPopulated == false)
        #expect(await items.next()?.isPopulated == false)
        #expect(await members.next()?.isPopulated == false)
        var pages = 1
        while try phone.round() == .again { pages += 1 }
        #expect(pages > 3)

        // An edit of this device ends what is heard of the first round.
        let shared = try #require(try await phone.lists.all().first)
        try await phone.lists.setMyName("Grace", in: shared.id)
        let wishes = try await phone.lists.create("Wishes")
        try await phone.lists.add("Kite", to: wishes.id)

        let ofLists = await heard(&lists) { $0.added.contains { $0.id == wishes.id } }
        #expect(ofLists.filter(\.isPopulated).count == 1)
        #expect(ofLists.dropLast().last?.isPopulated == true)
        #expect(ofLists.dropLast().flatMap(\.added).map(\.id) == [shared.id])

        let ofItems = await heard(&items) { $0.added.contains { $0.title == "Kite" } }
        #expect(ofItems.filter(\.isPopulated).count == 1)
        #expect(ofItems.dropLast().last?.isPopulated == true)
        #expect(ofItems.dropLast().flatMap(\.added).map(\.title).sorted() == titles)

        let ofMembers = await heard(&members) { $0.modified.contains { $0.name == "Grace" } }
        #expect(ofMembers.filter(\.isPopulated).count == 1)
        #expect(ofMembers.dropLast().last?.isPopulated == true)
        #expect(ofMembers.dropLast().flatMap(\.added).count == 2)
    }

    @Test("After an interrupted first round it is sent when a later round has read the rest") func brokenOff()
        async throws
    {
        let titles = (0..<10).map { "Item \($0)" }
        let (phone, token) = try await phone(FakeServer(page: 3), titles: titles)
        _ = try await phone.client.session.activate(token: token)
        #expect(try phone.round() == .again)
        phone.server.goAway()
        #expect(await code { try await phone.client.syncNow() } == .offline)
        var items = phone.lists.itemChanges().makeAsyncIterator()
        let state = try #require(await items.next())
        #expect(!state.isPopulated && state.added.count < titles.count)
        phone.server.mend()
        try await phone.client.syncNow()
        let told = await heard(&items) { $0.isPopulated }
        #expect(told.last?.isEmpty == true)
        #expect((state.added + told.flatMap(\.added)).map(\.title).sorted() == titles)
    }

    @Test("It is posted to the notification centre once, after the lists") func notification() async throws {
        let (phone, token) = try await phone(postsNotifications: true)
        _ = try await phone.client.session.activate(token: token)
        // The centre is everybody's. A listener of this client hears each change right before the same thread posts it.
        let threads = Kept<Set<ObjectIdentifier>>([])
        let posted = Kept<[String]>([])
        let hub = phone.client.replica.hub
        _ = try await phone.client.replica.database.write { _ in
            hub.listen { announcement in
                guard announcement == .populated || announcement.lists != nil else { return }
                threads.change { _ = $0.insert(ObjectIdentifier(Thread.current)) }
            }
        }
        let names: [Notification.Name] = [.kithListsChanged, .kithPopulated]
        let observers = names.map { name in
            let text = name.rawValue
            return NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                let thread = ObjectIdentifier(Thread.current)
                guard threads.value.contains(thread) else { return }
                threads.change { _ = $0.remove(thread) }
                posted.change { $0.append(text) }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        let (lists, populated) = (Notification.Name.kithListsChanged.rawValue, Notification.Name.kithPopulated.rawValue)
        try await phone.client.syncNow()
        #expect(posted.value == [lists, populated])
        // Not again: what follows are changes.
        try await phone.client.syncNow()
        try await phone.lists.create("Wishes")
        #expect(posted.value == [lists, populated, lists])
    }
}
