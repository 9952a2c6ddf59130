import Foundation
import Kith
import KithDiscovery
import KithModel
import Testing

@Suite("Observing a replica that two processes write to", .timeLimit(.minutes(15))) struct ObservedChangeTests {
    private let folder = TemporaryFolder()
    private let server = FakeServer()
    /// The process that looks, and another on the same file.
    private let (here, there): (Phone, Phone)
    private let list: ListID
    private let me: AccountID

    init() async throws {
        let credentials = InMemoryCredentialStore()
        here = try Phone(server, file: folder.replica, credentials: credentials)
        list = try await here.lists.create("Groceries").id
        try await here.client.syncNow()
        me = try present(await here.client.session.account())
        there = try Phone(server, file: folder.replica, seed: 2, credentials: credentials)
    }

    @Test("Each change is reported once, with its origin, in any order of edits", arguments: 0..<6 as Range<UInt64>)
    func once(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var watcher = try await Watcher(here)
        for step in 0..<40 {
            let isHere = Bool.random(using: &random)
            try await edit(isHere ? here : there, step, &random)
            try await watcher.follow(there, isElsewhere: !isHere)
        }
        #expect(watcher.seen.lists[list] != nil && watcher.seen.members.count >= 1)
    }

    /// Does something that shows.
    private func edit(_ phone: Phone, _ step: Int, _ random: inout SplitMix64) async throws {
        let lists = try await phone.lists.all()
        let list = lists.randomElement(using: &random)?.id ?? self.list
        let item = try await phone.lists.items(in: list).randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try await phone.lists.create("List \(step)")
        case 1 where list != self.list: try await phone.lists.remove(list)
        case 2:
            let old = try #require(try await phone.lists.list(list))
            try await phone.lists.update(with(old) { $0.name = "Name \(step)" })
        case 3, 4:
            if let item { try await phone.lists.setTicked(item.id, in: list, !item.isTicked) }
        case 5:
            if let item { try await phone.lists.remove(item.id, in: list) }
        case 6: try await phone.lists.setMyName("Me \(step)", in: self.list)
        case 7, 8: try await changeOnServer(step, &random, phone)
        default: try await phone.lists.add("Item \(step)", to: list)
        }
    }

    /// Another person asks to connect, or does so no more; comes to the list, or goes.
    private func changeOnServer(_ step: Int, _ random: inout SplitMix64, _ phone: Phone) async throws {
        let friend = AccountID(UUID(high: 0x0190_0000_0000_7000, low: .random(in: 1...2, using: &random)))
        let (isContact, isGone) = (Bool.random(using: &random), Int.random(in: 0..<3, using: &random) == 0)
        server.change { world in
            let now = phone.clock.now
            switch (isContact, isGone) {
            case (true, true): world.write(.contacts, friend.retyped(), nil, in: me.retyped(), at: now)
            case (true, false):
                let fields: Fields = ["wish": "connect", "asked": .integer(Int64(step + 1))]
                world.write(.contacts, friend.retyped(), fields, in: me.retyped(), at: now)
            case (false, true): world.expel(friend, from: list, at: now)
            case (false, false): world.share(list, with: friend, as: step % 2 == 0 ? .editor : .viewer, at: now)
            }
        }
        try await phone.client.syncNow()
    }

    @Test("Another process finds people in the address book, and loses them") func matches() async throws {
        var watcher = try await Watcher(here)
        try there.execute(Self.finding)
        try await watcher.follow(there, isElsewhere: true)
        #expect(watcher.seen.matches.count == 1)
        try there.execute("UPDATE lookup SET match = X'01900000000070008000000000000002'")
        try await watcher.follow(there, isElsewhere: true)
        try there.execute("DELETE FROM lookup")
        try await watcher.follow(there, isElsewhere: true)
        #expect(watcher.seen.matches.isEmpty)
    }

    @Test("Matches that this process finds are its own changes") func ownMatches() async throws {
        var watcher = try await Watcher(here)
        try here.execute(Self.finding)
        try await watcher.follow(there, isElsewhere: false)
        #expect(watcher.seen.matches.count == 1)
        try here.execute("DELETE FROM lookup")
        try await watcher.follow(there, isElsewhere: false)
        #expect(watcher.seen.matches.isEmpty)
    }

    @Test("A list that disappears and returns keeps nothing from before") func backAgain() async throws {
        let owner = try Phone(server, seed: 3)
        let party = try await owner.lists.create("Party")
        let cake = try await owner.lists.add("Cake", to: party.id)
        try await owner.client.syncNow()
        let (guest, me, now) = (AccountID(UUID(high: 0x0190_0000_0000_7000, low: 3)), me, server.clock.now)
        server.change { world in
            for person in [guest, me] { world.share(party.id, with: person, as: .editor, at: now) }
        }
        try await here.client.syncNow()
        var watcher = try await Watcher(here)
        #expect(watcher.seen.items.count == 1 && watcher.seen.members.count == 4)
        server.change { $0.expel(me, from: party.id, at: now) }
        try await here.client.syncNow()
        try await watcher.follow(there, isElsewhere: false)
        server.change { world in
            world.expel(guest, from: party.id, at: now)
            world.write(.items, cake.id.retyped(), nil, in: party.id.retyped(), at: now)
            world.share(party.id, with: me, as: .editor, at: now)
        }
        try await here.client.syncNow()
        try await watcher.follow(there, isElsewhere: false)
        // Another process commits, so that everything is compared; what is told too much comes before the second item.
        for title in ["Milk", "Tea"] {
            try await there.lists.add(title, to: list)
            try await watcher.follow(there, isElsewhere: true)
        }
        #expect(watcher.seen.lists[party.id] != nil && watcher.seen.members.count == 3)
    }

    @Test("An item that two lists have is reported for each of them") func sameItem() async throws {
        let party = try await here.lists.create("Party").id
        let id = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 9))
        for list in [list, party] { try await here.lists.add("Milk", to: list, id: id) }
        var watcher = try await Watcher(here)
        #expect(watcher.seen.items.count == 2)
        try await there.lists.update(id, in: party) { $0.title = "Oat milk" }
        try await watcher.follow(there, isElsewhere: true)
        try await there.lists.remove(id, in: list)
        try await watcher.follow(there, isElsewhere: true)
        #expect(watcher.seen.items.values.map(\.title) == ["Oat milk"])
    }

    @Test("A contact that this process has reported as removed is not reported again when another process commits")
    func lostContact()
        async throws
    {
        let (friend, me, now) = (AccountID(UUID(high: 0x0190_0000_0000_7000, low: 3)), me, server.clock.now)
        server.change {
            $0.write(.contacts, friend.retyped(), ["wish": "connect", "asked": 1], in: me.retyped(), at: now)
        }
        try await here.client.syncNow()
        var watcher = try await Watcher(here)
        #expect(watcher.seen.contacts.count == 1)
        server.change { $0.write(.contacts, friend.retyped(), nil, in: me.retyped(), at: now) }
        try await here.client.syncNow()
        try await watcher.follow(there, isElsewhere: false)
        for title in ["Milk", "Tea"] {
            try await there.lists.add(title, to: list)
            try await watcher.follow(there, isElsewhere: true)
        }
        #expect(watcher.seen.contacts.isEmpty)
    }

    @Test(
        "A switch from a store that has got an account meanwhile names that account, even if the store was dropped",
        arguments: [false, true])
    func adopted(isDropped: Bool) async throws {
        let phone = try Phone(server, seed: 4)
        var watcher = try await Watcher(phone)
        let first = try await phone.client.session.open().account
        if isDropped {
            // What is told after it has the account.
            try await phone.lists.create("Party")
            try await watcher.follow(phone, isElsewhere: false)
            try await phone.client.accounts.drop(.account(first))
        } else {
            try await phone.client.session.open()
        }
        let sighting = try #require(try await watcher.next())
        let current = try await phone.client.session.account()
        let after = current.map(AccountScope.account) ?? .userless
        #expect(sighting.kind == .switched(from: .account(first), to: after))
    }

    @Test("The state is reported at once; changes by other processes are searched for at each interval")
    func intervals() async throws {
        let pauses = Pauses()
        let replica = try Replica(.file(folder.replica), dependencies: pauses.dependencies(server.clock, seed: 5))
        let client = try KithClient(replica: replica, transport: server, credentials: here.credentials)
        let loop = Task { await client.run() }
        defer { loop.cancel() }
        let interval = Duration.milliseconds(123)
        var observedChanges = client.observedChanges(every: interval).makeAsyncIterator()
        for _ in 0..<7 { _ = try await observedChanges.next(isolation: #isolation) }
        func timers() -> [Duration] { pauses.asked.filter { $0 != interval && $0 > .seconds(2) } }
        func look() async throws {
            let before = pauses.asked.count { $0 == interval }
            try await until { pauses.underWay.contains(interval) }
            pauses.end(upTo: interval)
            try await until { pauses.asked.count { $0 == interval } > before }
        }
        try await until { pauses.underWay.contains(interval) && pauses.underWay.contains(.minutes(15)) }
        // Where nobody has committed, the loop is not woken.
        let before = timers()
        for _ in 0..<5 { try await look() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(timers() == before)
        try await there.lists.add("Milk", to: list)
        // The pause in typing is over.
        server.clock.advance(by: .seconds(1))
        try await look()
        try await until { server.change { $0.titles(in: list) } == ["Milk"] }
        loop.cancel()
        await loop.value
    }

    @Test("Changes during a switch and back are reported at the next comparison") func thereAndBack() async throws {
        let pauses = Pauses()
        let replica = try Replica(.inMemory, dependencies: pauses.dependencies(server.clock, seed: 8))
        let client = try KithClient(
            replica: replica, transport: server, credentials: InMemoryCredentialStore(), rate: .off)
        try await client.lists.create("Groceries")
        try await client.syncNow()
        let first = try present(await client.session.account())
        var observedChanges = client.observedChanges(every: .seconds(1)).makeAsyncIterator()
        for _ in 0..<7 { _ = try await observedChanges.next(isolation: #isolation) }
        try await until { pauses.underWay == [.seconds(1)] }
        try await client.session.open()
        try await client.session.select(.account(first))
        let party = try await client.lists.create("Party")
        pauses.end(upTo: .seconds(1))
        let sighting = try #require(try await observedChanges.next(isolation: #isolation))
        #expect(sighting.kind == .change(.changes(Changed(added: [party], origin: .device))))
        #expect(!sighting.isFromElsewhere)
    }

    @Test("Listening ends with the reason: too much was left unread, or the store is gone") func endings() async throws
    {
        let phone = try Phone(server, seed: 6, unreadChanges: 8)
        let news = phone.client.observedChanges(every: .seconds(3_600))
        var first = news.makeAsyncIterator()
        _ = try await first.next(isolation: #isolation)
        for number in 0..<10 { try await phone.lists.create("List \(number)") }
        #expect(try await end(of: news) == KithError.Code(rawValue: "fellBehind"))
        let pinned = try Phone(
            server, file: folder.replica, seed: 7, credentials: here.credentials, account: .account(me))
        let others = pinned.client.observedChanges(every: .milliseconds(1))
        var begun = others.makeAsyncIterator()
        _ = try await begun.next(isolation: #isolation)
        try await here.client.accounts.drop(.account(me))
        #expect(try await end(of: others) == .notFound)
    }

    private func end(of observedChanges: AsyncThrowingStream<ObservedChange, any Error>) async throws -> KithError.Code?
    {
        await code { for try await _ in observedChanges {} }
    }

    @Test("A listener that stops releases the replica") func letGo() async throws {
        weak var replica: Replica?
        do {
            let phone = try Phone()
            replica = phone.client.replica
            var observedChanges = phone.client.observedChanges(every: .milliseconds(1)).makeAsyncIterator()
            _ = try await observedChanges.next(isolation: #isolation)
        }
        try await until { replica == nil }
    }

    /// One number of the address book is found.
    private static let finding = """
        INSERT INTO lookup (account, identity, discoveryKey, output, match)
        SELECT key, 'tel:+436640001001', 'key', zeroblob(64), X'01900000000070008000000000000001'
        FROM account WHERE isCurrent
        """

    @Test("A switch of stores is reported, then the new contents; nothing counts as removed")
    func anotherStore() async throws {
        try await here.lists.add("Milk", to: list)
        var watcher = try await Watcher(here)
        var before = me
        for isHere in [true, false, true] {
            let phone = isHere ? here : there
            let account = try await phone.client.session.open().account
            let sighting = try #require(try await watcher.next())
            #expect(sighting.kind == .switched(from: .account(before), to: .account(account)))
            #expect(sighting.isFromElsewhere == !isHere)
            watcher.take(sighting)
            try await watcher.takeState()
            #expect(watcher.seen.lists.isEmpty && watcher.seen.items.isEmpty)
            let new = try await phone.lists.create("Party")
            try await watcher.follow(there, isElsewhere: !isHere)
            try await here.lists.add("Cake", to: new.id)
            try await watcher.follow(there, isElsewhere: false)
            #expect(watcher.seen.items.values.map(\.title) == ["Cake"])
            before = account
        }
    }

    @Test("Another process has switched the store, even if this one has written to it before it looked")
    func writtenBeforeLooking() async throws {
        // Long enough for the write. A slow machine looks earlier, and sees the same.
        var observedChanges = here.client.observedChanges(every: .seconds(1)).makeAsyncIterator()
        _ = try await observedChanges.next()
        let account = try await there.client.session.open().account
        try await here.lists.create("Party")
        while let sighting = try await observedChanges.next() {
            guard case .switched(_, let after) = sighting.kind else { continue }
            #expect(after == .account(account) && sighting.isFromElsewhere)
            return
        }
    }
}

/// What somebody knows who has heard each sighting.
private struct Seen: Equatable {
    var lists: [ListID: SharedList] = [:]
    var items: [[UUID]: ListItem] = [:]
    var members: [[UUID]: Member] = [:]
    var contacts: [AccountID: NetworkContact] = [:]
    var matches: [Identity: Discovery.Match] = [:]

    mutating func take(_ sighting: ObservedChange) {
        guard let announcement = sighting.announcement else {
            self = Seen()
            return
        }
        if let changed = announcement.matches { Self.take(changed, into: &matches) { $0.identity } }
        if let changed = announcement.lists {
            // A list also counts as modified where it does not differ itself.
            Self.take(changed, into: &lists) { $0.id }
            let gone = Set(changed.removed.map(\.id))
            items = items.filter { !gone.contains($0.value.listID) }
            members = members.filter { !gone.contains($0.value.listID) }
        }
        if let changed = announcement.items { Self.take(changed, into: &items) { [$0.listID.uuid, $0.id.uuid] } }
        if let changed = announcement.members { Self.take(changed, into: &members) { [$0.listID.uuid, $0.id.uuid] } }
        for one in announcement.contacts?.all ?? [] {
            guard let id = (one.after ?? one.before)?.id else { continue }
            #expect(contacts[id] == one.before)
            contacts[id] = one.after
        }
    }

    private static func take<Key, Record: Hashable & Sendable>(
        _ changed: Changed<Record>, into known: inout [Key: Record], by key: (Record) -> Key
    ) {
        for record in changed.added { #expect(known.updateValue(record, forKey: key(record)) == nil) }
        for record in changed.modified { #expect(known.updateValue(record, forKey: key(record)) != nil) }
        for record in changed.removed { #expect(known.removeValue(forKey: key(record)) != nil) }
    }
}

/// Somebody who looks at a replica.
private struct Watcher {
    private(set) var seen = Seen()
    private var observedChanges: AsyncThrowingStream<ObservedChange, any Error>.AsyncIterator

    init(_ phone: Phone) async throws {
        observedChanges = phone.client.observedChanges(every: .milliseconds(1)).makeAsyncIterator()
        try await takeState()
    }

    mutating func next() async throws -> ObservedChange? { try await observedChanges.next(isolation: #isolation) }

    mutating func take(_ sighting: ObservedChange) { seen.take(sighting) }

    /// What there is: lists, items, people, contacts, matches, invitations and sharing, also where there are none.
    mutating func takeState() async throws {
        for _ in 0..<7 {
            let sighting = try #require(try await next())
            #expect(!sighting.isFromElsewhere)
            if let changed = sighting.announcement?.lists { #expect(changed.origin == .state) }
            take(sighting)
        }
    }

    /// Listens until what was told is what somebody finds who looks only now.
    mutating func follow(_ phone: Phone, isElsewhere: Bool) async throws {
        let all = try await Watcher(phone).seen
        while seen != all {
            let sighting = try #require(try await next())
            #expect(sighting.isFromElsewhere == isElsewhere)
            take(sighting)
        }
    }
}
