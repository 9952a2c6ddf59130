import Foundation
import Kith
import KithModel
import Testing

@Suite("Live queries, notifications and the status") struct LiveQueryTests {
    @Test("A live query gives the current content, then each state after a change, without repeats") func live()
        async throws
    {
        let folder = TemporaryFolder()
        let phone = try Phone(file: folder.replica)
        let list = try await phone.lists.create("Groceries").id
        let other = try await phone.lists.create("Other").id
        var items = phone.lists.liveItems(in: list).makeAsyncIterator()
        var lists = phone.lists.live().makeAsyncIterator()
        #expect(await items.next()?.map(\.title) == [])
        #expect(await lists.next()?.map(\.name) == ["Groceries", "Other"])
        // A change that does not touch the query's result is no news.
        try await phone.lists.add("Elsewhere", to: other)
        try await phone.lists.add("Milk", to: list)
        #expect(await items.next()?.map(\.title) == ["Milk"])
        try await phone.lists.add("Tea", to: list)
        #expect(await items.next()?.map(\.title) == ["Milk", "Tea"])
        try await phone.lists.remove(list)
        #expect(await items.next()?.map(\.title) == [])
    }

    @Test("Changes are posted to the notification centre with the same content") func notifications() async throws {
        let lists = Kept<[Changed<SharedList>]>([])
        let items = Kept<[Changed<ListItem>]>([])
        let members = Kept<[Changed<Member>]>([])
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(forName: .kithListsChanged, object: nil, queue: nil) { note in
                if let changed = note.userInfo?["changed"] as? Changed<SharedList> {
                    lists.change { $0.append(changed) }
                }
            },
            center.addObserver(forName: .kithItemsChanged, object: nil, queue: nil) { note in
                if let changed = note.userInfo?["changed"] as? Changed<ListItem> { items.change { $0.append(changed) } }
            },
            center.addObserver(forName: .kithMembersChanged, object: nil, queue: nil) { note in
                if let changed = note.userInfo?["changed"] as? Changed<Member> { members.change { $0.append(changed) } }
            },
        ]
        defer { for token in tokens { center.removeObserver(token) } }
        let phone = try Phone(seed: 4711, postsNotifications: true)
        let list = try await phone.lists.create("Groceries")
        let milk = try await phone.lists.add("Milk", to: list.id)
        // The centre is everybody's: what other clients post is not looked at.
        let own = lists.value.filter { ($0.added + $0.modified).contains { $0.id == list.id } }
        #expect(own.map { $0.added.count + $0.modified.count } == [1, 1])
        #expect(own.first?.added == [list])
        let ownItems = items.value.filter { $0.added.contains { $0.listID == list.id } }
        #expect(ownItems.map(\.added) == [[milk]])
        #expect(ownItems.map(\.origin) == [.device])
        try await phone.client.syncNow()
        let me = try #require(try await phone.client.session.account())
        let ownMembers = members.value.filter { $0.added.contains { $0.listID == list.id } }
        #expect(ownMembers.map { $0.added.map(\.id) } == [[me]])
        #expect(ownMembers.map(\.origin) == [.server])
    }

    @Test("A notification names its client, so that an app with several can tell their changes apart") func sender()
        async throws
    {
        let mine = try Phone(seed: 4_714, postsNotifications: true)
        let other = try Phone(seed: 4_715, postsNotifications: true)
        let seen = Kept<[String]>([])
        let center = NotificationCenter.default
        let token = center.addObserver(forName: .kithListsChanged, object: mine.client, queue: nil) { note in
            guard let changed = note.userInfo?["changed"] as? Changed<SharedList> else { return }
            seen.change { $0 += changed.added.map(\.name) }
        }
        defer { center.removeObserver(token) }
        try await other.lists.create("Theirs")
        try await mine.lists.create("Mine")
        #expect(seen.value == ["Mine"])
    }

    @Test("The status has the waiting edits, the last error and the time of the next attempt") func status()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        var statuses = phone.client.liveStatus().makeAsyncIterator()
        let first = try #require(await statuses.next())
        #expect((first.session, first.waiting, first.hasSynced) == (.anonymous, 0, true))
        #expect(first.lastRound == phone.clock.now.date)
        let edited = phone.clock.now
        try await phone.lists.add("Milk", to: list)
        #expect(await statuses.next()?.waiting == 1)
        phone.clock.advance(by: .seconds(9))
        phone.server.goAway()
        #expect(await code { try await phone.client.syncNow() } == .offline)
        var last = try #require(await statuses.next())
        while last.lastError == nil { last = try #require(await statuses.next()) }
        #expect(last.lastError?.code == .offline)
        #expect(last.oldestWaiting == edited.date)
        #expect(try #require(last.retryAt) >= phone.clock.now.date)
        phone.server.mend()
        try await phone.client.caughtUp()
        while last.waiting > 0 || last.isSyncing { last = try #require(await statuses.next()) }
        #expect((last.lastError, last.retryAt, last.oldestWaiting) == (nil, nil, nil))
        #expect(last.lastRound == phone.clock.now.date)
    }

    @Test("Each observer of the status is notified, and releases the client when it stops") func statusListeners()
        async throws
    {
        weak var replica: Replica?
        do {
            let phone = try Phone()
            replica = phone.client.replica
            var one = phone.client.liveStatus().makeAsyncIterator()
            var other = phone.client.liveStatus().makeAsyncIterator()
            #expect(await one.next()?.waiting == 0)
            #expect(await other.next()?.waiting == 0)
            try await phone.lists.create("Groceries")
            #expect(await one.next()?.waiting == 1)
            #expect(await other.next()?.waiting == 1)
        }
        try await until { replica == nil }
    }

    @Test("Being caught up means that every edit made before is acknowledged") func caughtUp() async throws {
        let (phone, list) = try await Phone.withList()
        for index in 0..<30 { try await phone.lists.add("Item \(index)", to: list) }
        try await phone.client.caughtUp()
        #expect(phone.server.change { $0.titles(in: list).count } == 30)
        #expect(try await phone.waiting() == 0)
    }
}
