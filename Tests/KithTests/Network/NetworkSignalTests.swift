import Foundation
import Kith
import KithModel
import Testing

@Suite("Signals of the network") struct NetworkSignalTests {
    private let ada = Circle.person(2)

    @Test("The state comes first, then each addition, change and removal, with the keys that changed") func inOrder()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace")
        var changes = circle.network.changes().makeAsyncIterator()
        let state = try #require(await changes.next())
        #expect(state.origin == .state)
        #expect(state.added.map(\.id) == [grace])
        try await circle.friend(2, "Ada")
        let added = try #require(await changes.next())
        #expect(added.added.map(\.given) == ["Ada"])
        #expect(added.origin == .server)
        circle.tell(
            ada, ["given": "Augusta", "status": "Here", "pictureSmall": hash(png(1)), "pictureLarge": hash(png(2))])
        try await circle.phone.client.syncNow()
        let updated = try #require(await changes.next())
        #expect(updated.updated.map(\.contact.given) == ["Augusta"])
        #expect(updated.updated.map(\.keys) == [[.name, .status, .picture]])
        try await circle.network.mute(ada)
        let muted = try #require(await changes.next())
        #expect(muted.updated.map(\.keys) == [[.muted]])
        #expect(muted.origin == .device)
        circle.tell(grace, ["asked": .null, "wish": "none"])
        try await circle.phone.client.syncNow()
        let removed = try #require(await changes.next())
        #expect(removed.removed.map(\.given) == ["Grace"])
        #expect(removed.added.isEmpty && removed.updated.isEmpty)
    }

    @Test("An update that takes someone out of my network takes them out of the view, and only there") func leaving()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace")
        var network = circle.network.changes().makeAsyncIterator()
        var blocked = circle.network.changes(in: .blocked).makeAsyncIterator()
        var everyone = circle.network.changes(in: .everyone).makeAsyncIterator()
        _ = (await network.next(), await blocked.next(), await everyone.next())
        try await circle.network.block(grace)
        #expect(await network.next()?.removed.map(\.id) == [grace])
        #expect(await blocked.next()?.added.map(\.id) == [grace])
        #expect(await everyone.next()?.updated.map(\.keys) == [[.isBlocked]])
        circle.tell(grace, ["isBot": true, "isBlocked": true])
        try await circle.network.unblock(grace)
        try await circle.phone.client.syncNow()
        // Coming back she is a bot by then, or is one a moment later: in the end she is not in the network.
        #expect(try await circle.network.contacts().isEmpty)
        #expect(try await circle.network.bots().map(\.id) == [grace])
    }

    @Test("Trap: Listening twice delivers twice") func twoListeners() async throws {
        let circle = try await Circle()
        var first = circle.network.changes().makeAsyncIterator()
        var second = circle.network.changes().makeAsyncIterator()
        _ = (await first.next(), await second.next())
        try await circle.friend(2, "Ada")
        try await circle.friend(3, "Grace")
        for _ in 0..<1 {
            #expect(await first.next()?.added.map(\.given) == ["Ada"])
            #expect(await first.next()?.added.map(\.given) == ["Grace"])
            #expect(await second.next()?.added.map(\.given) == ["Ada"])
            #expect(await second.next()?.added.map(\.given) == ["Grace"])
        }
    }

    @Test(
        "Law 9: A late listener gets the state and then the changes, no gap, no repeat",
        arguments: 1...4 as ClosedRange<UInt64>)
    func lateListeners(seed: UInt64) async throws {
        let phone = try Phone(seed: seed)
        let total: UInt64 = 80
        let heard = try await withThrowingTaskGroup(of: [AccountID]?.self) { group in
            for writer in 0..<2 as Range<UInt64> {
                group.addTask {
                    for index in 0..<(total / 2) {
                        try await phone.client.network.block(Circle.person(writer * 100 + index))
                    }
                    return nil
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    var heard: [AccountID] = []
                    for await changes in phone.client.network.changes(in: .blocked) {
                        heard += changes.added.map(\.id)
                        if heard.count >= Int(total) { break }
                    }
                    return heard
                }
            }
            return try await group.reduce(into: [[AccountID]]()) { if let heard = $1 { $0.append(heard) } }
        }
        let all = (0..<2 as Range<UInt64>).flatMap { writer in
            (0..<(total / 2)).map { Circle.person(writer * 100 + $0) }
        }
        #expect(heard.map { $0.sorted() } == Array(repeating: all.sorted(), count: 3))
    }

    @Test("The server's additions to a request of this device are not reported as changes by others") func echo()
        async throws
    {
        let circle = try await Circle()
        var changes = circle.network.changes(in: .sent).makeAsyncIterator()
        _ = await changes.next()
        try await circle.network.connect(ada)
        #expect(await changes.next()?.origin == .device)
        let (me, now) = (circle.me, circle.now)
        circle.phone.server.wire.change = { _, answer in
            let state: Fields = ["wish": "connect", "notified": .integer(now.milliseconds)]
            for index in answer.records.indices where answer.records[index].feed.uuid == me.uuid {
                answer.records[index].change.fields = state
            }
            for feed in answer.feeds.indices {
                for index in answer.feeds[feed].changes.indices { answer.feeds[feed].changes[index].fields = state }
            }
        }
        try await circle.phone.client.syncNow()
        let echo = try #require(await changes.next())
        #expect(echo.updated.map(\.keys) == [[.request]])
        #expect(echo.origin == .device)
    }

    @Test("Presence is reported in order with writes, and only for existing contacts") func presence()
        async throws
    {
        let circle = try await Circle()
        let grace = try await circle.friend(3, "Grace")
        var changes = circle.network.changes().makeAsyncIterator()
        _ = await changes.next()
        try await circle.network.mute(grace)
        await circle.phone.client.replica.announcePresence(of: [grace, ada])
        try await circle.network.unmute(grace)
        #expect(await changes.next()?.updated.map(\.keys) == [[.muted]])
        #expect(await changes.next()?.updated.map(\.keys) == [[.presence]])
        #expect(await changes.next()?.updated.map(\.keys) == [[.muted]])
    }

    @Test("When another account becomes current, its people are added and the others removed") func switching()
        async throws
    {
        let circle = try await Circle()
        try await circle.friend(3, "Grace")
        var changes = circle.network.changes().makeAsyncIterator()
        _ = await changes.next()
        try await circle.phone.switchAccount()
        #expect(await changes.next()?.removed.map(\.given) == ["Grace"])
        try await circle.phone.client.session.select(.account(circle.me))
        #expect(await changes.next()?.added.map(\.given) == ["Grace"])
        try await circle.phone.client.accounts.drop(.account(circle.me))
        var next = await changes.next()
        // A round may have told meanwhile that the network is filled.
        while next?.removed.isEmpty == true, next?.isPopulated == true { next = await changes.next() }
        #expect(next?.removed.map(\.given) == ["Grace"])
    }

    @Test("Two accounts of one device that are connected have each other in their networks, and never themselves")
    func ownAccounts() async throws {
        let circle = try await Circle()
        let (phone, first, now) = (circle.phone, circle.me, circle.now)
        let session = phone.server.change { $0.openSession(at: now) }
        circle.tell(session.account, ["wish": "connect", "asked": 1, "given": "Second"])
        phone.server.change {
            let fields: Fields = ["wish": "connect", "asked": 1, "given": "First"]
            $0.write(.contacts, first.retyped(), fields, in: session.account.retyped(), at: now)
        }
        try await phone.client.syncNow()
        _ = try await phone.client.session.activate(token: session.token)
        try await phone.client.syncNow()
        var changes = circle.network.changes().makeAsyncIterator()
        #expect(await changes.next()?.added.map(\.given) == ["First"])
        try await phone.client.session.select(.account(first))
        let switched = try #require(await changes.next())
        #expect(switched.added.map(\.given) == ["Second"])
        #expect(switched.removed.map(\.given) == ["First"])
    }

    @Test("My profile is given, then each state after a change here or on another device; other edits are no news")
    func profiles() async throws {
        let circle = try await Circle()
        let (phone, me, now) = (circle.phone, circle.me, circle.now)
        var profiles = circle.network.liveProfile().makeAsyncIterator()
        #expect(await profiles.next() == Profile())
        try await circle.friend(3, "Grace")
        try await phone.lists.create("Groceries")
        try await circle.network.updateProfile { ($0.given, $0.status) = ("Joan", "Here") }
        let mine = try #require(await profiles.next())
        #expect(mine.given == "Joan" && mine.status == "Here")
        #expect(try await circle.network.profile() == mine)
        try await phone.client.syncNow()
        phone.server.change { $0.write(.profiles, Profile.id, ["status": "Away"], in: me.retyped(), at: now) }
        try await phone.client.syncNow()
        let synced = try #require(await profiles.next())
        #expect(synced.given == "Joan" && synced.status == "Away")
    }

    @Test("Changes of the network by another process are reported, too") func observedChanges() async throws {
        let folder = TemporaryFolder()
        let (one, other) = (try Phone(file: folder.replica), try Phone(file: folder.replica, seed: 2))
        let (news, teller) = AsyncStream.makeStream(of: NetworkChanges.self)
        let listening = Task {
            for try await sighting in one.client.observedChanges(every: .milliseconds(5)) {
                guard let differences = sighting.announcement?.contacts else { continue }
                teller.yield(differences.changes(in: .everyone))
            }
        }
        defer { listening.cancel() }
        var heard = news.makeAsyncIterator()
        #expect(await heard.next()?.isEmpty == true)
        try await one.client.network.block(ada)
        #expect(await heard.next()?.added.map(\.id) == [ada])
        try await other.client.network.unblock(ada)
        #expect(await heard.next()?.removed.map(\.id) == [ada])
    }

    @Test("Changes are posted to the notification centre, of everyone") func notifications() async throws {
        let heard = Kept<[NetworkChanges]>([])
        let id = AccountID(UUID(high: 0x0190_0000_0000_7000, low: 4_711))
        let observer = NotificationCenter.default.addObserver(forName: .kithNetworkChanged, object: nil, queue: nil) {
            note in
            // Other tests post, too.
            guard let changes = note.userInfo?["changed"] as? NetworkChanges,
                changes.added.contains(where: { $0.id == id })
            else { return }
            heard.change { $0.append(changes) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let phone = try Phone(seed: 4_712, postsNotifications: true)
        try await phone.client.network.block(id)
        #expect(heard.value.map(\.origin) == [.device])
    }
}
