import Foundation
import GRDB
import Kith
import KithModel
import Testing

@Suite("The effect of an answer on the replica") struct ReadingTests {
    @Test("Pages of a first read add up to the whole, and resume where they broke off") func pages() async throws {
        let server = FakeServer(page: 7)
        let (writer, list) = try await Phone.withList(server)
        for index in 0..<40 { try await writer.lists.add("Item \(index)", to: list) }
        try await writer.client.syncNow()
        let reader = try await join(writer, server)
        // Two pages, then the app is closed, and opened again: the token has the place.
        #expect(try reader.round() == .again)
        #expect(try reader.round() == .again)
        let some = try reader.query("SELECT * FROM item").count
        #expect(some > 0 && some < 40)
        #expect(try await reader.lists.hasSynced() == false)
        server.wire.instead = { _ in throw KithError(.offline, "Gone.") }
        #expect(await code { try await reader.client.syncNow() } == .offline)
        server.mend()
        // Behind the page's place something changes, and is told at the end.
        let first = try #require(try await writer.lists.items(in: list).first)
        try await writer.lists.update(with(first) { $0.title = "First" })
        try await writer.client.syncNow()
        try await reader.client.syncNow()
        #expect(try await reader.lists.items(in: list).map(\.title) == writer.lists.items(in: list).map(\.title))
        #expect(try await reader.lists.hasSynced())
        #expect(
            try reader.client.replica.canonicalLines(of: list.retyped())
                == writer.client.replica.canonicalLines(of: list.retyped()))
    }

    @Test("Each record of a long page gets its own values, and nothing of the records before it") func longPage()
        async throws
    {
        let (writer, list) = try await Phone.withList()
        var items: [ListItem] = []
        for index in 0..<70 {
            let category = index.isMultiple(of: 3) ? "Third" : nil
            items.append(
                try await writer.lists.add("Item \(index)", to: list, count: 1 + index % 5, category: category))
        }
        try await writer.client.syncNow()
        // Fields of newer versions, in one record only.
        writer.othersWrite(items[3].id, ["colour": "blue", "tags": .array(["a", 1])], in: list)
        try await writer.client.syncNow()
        let reader = try await join(writer, writer.server)
        try await reader.client.syncNow()
        #expect(try await reader.lists.items(in: list).map(\.category) == items.map(\.category))
        #expect(
            try reader.client.replica.canonicalLines(of: list.retyped())
                == writer.client.replica.canonicalLines(of: list.retyped()))
    }

    @Test("Trap: “Has synced” turns true before the rows are readable") func hasSynced() async throws {
        let server = FakeServer(page: 3)
        let (writer, list) = try await Phone.withList(server)
        for index in 0..<10 { try await writer.lists.add("Item \(index)", to: list) }
        try await writer.client.syncNow()
        let reader = try await join(writer, server)
        #expect(try await reader.lists.hasSynced() == false)
        while try reader.round() == .again {
            let count = try await reader.lists.items(in: list).count
            #expect(try await reader.lists.hasSynced() == (count == 10))
        }
        #expect(try await reader.lists.hasSynced())
        #expect(try await reader.lists.items(in: list).count == 10)
    }

    @Test("A record in a page's range that the page does not contain is removed") func deletionByAbsence() async throws
    {
        let server = FakeServer(page: 5)
        let (phone, list) = try await Phone.withList(server)
        var items: [ListItem] = []
        for index in 0..<20 { items.append(try await phone.lists.add("Item \(index)", to: list)) }
        try await phone.client.syncNow()
        let unsent = try await phone.lists.add("Unsent", to: list)
        // The server was away for longer than it keeps tombstones: it tells no deletion, only what lives.
        server.change { world in
            for item in items[3..<17] { world.feeds[list.retyped()]?.records[item.id.retyped()] = nil }
            world.epoch = "second"
        }
        let request = try #require(try phone.rounds.begin())
        let answer = server.answer(with(request) { $0.mutations = [] })
        _ = try phone.rounds.finish(request, answer)
        while try phone.round() == .again {}
        let left = (items[0..<3] + items[17...]).map(\.title) + [unsent.title]
        #expect(try await phone.titles(in: list) == left)
    }

    @Test("An answer with columns of different lengths is malformed, and nothing of it is stored")
    func unevenColumns() async throws {
        let (writer, list) = try await Phone.withList()
        for title in ["Milk", "Tea"] { try await writer.lists.add(title, to: list) }
        try await writer.client.syncNow()
        let reader = try await join(writer, writer.server)
        let damages: [@Sendable (inout RecordPage.Columns) -> Void] = [
            { $0.ids.removeLast(16) }, { $0.ids.removeLast() }, { $0.sequences.removeLast() },
            { $0.modified.removeLast() }, { $0.fields["title"] = .texts(["Milk", "Tea", "Sugar"]) },
        ]
        for damage in damages {
            writer.server.wire.change = { _, answer in
                for index in answer.feeds.indices {
                    let columns = answer.feeds[index].page?.columns ?? []
                    answer.feeds[index].page?.columns = columns.map {
                        $0.collection == .items ? with($0, damage) : $0
                    }
                }
            }
            #expect(await code { try await reader.client.syncNow() } == .malformed)
            #expect(try await reader.lists.all().isEmpty)
            #expect(try reader.account().token == nil)
        }
        writer.server.mend()
        try await reader.client.syncNow()
        #expect(try await reader.titles(in: list) == ["Milk", "Tea"])
    }

    @Test("A feed whose digest differs is reread until they agree") func digestMismatch() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        try phone.execute("DELETE FROM item WHERE title = 'Tea'")
        // The row is lost, and with it what the digest was kept of.
        try phone.execute("UPDATE feed SET digest = '0000000000000001' WHERE id <> zeroblob(16)")
        try await phone.lists.setTicked(milk.id, true)
        try phone.round()
        #expect(try await phone.titles(in: list) == ["Milk"])
        #expect(try phone.rounds.begin()?.reread == [list.retyped()])
        try phone.round()
        #expect(try await phone.titles(in: list) == ["Milk", "Tea"])
        #expect(try phone.rounds.begin()?.reread == nil)
        try await phone.client.syncNow()
        #expect(try phone.client.replica.readNow { $0.account.token } != nil)
    }

    @Test(
        "Trap: A failed-over PostgreSQL issues the same sequence again – what differs is read again, with a new epoch or without",
        arguments: [true, false])
    func failover(beginsEpoch: Bool) async throws {
        let (phone, list, _) = try await Phone.withItem()
        func add(_ title: String) {
            let fields: Fields = ["title": .text(title), "position": "a0"]
            phone.server.change {
                $0.write(.items, RecordID(UUID()), fields, in: list.retyped(), at: phone.clock.now)
            }
        }
        func sequence() -> Int64? { phone.server.change { $0.feeds[list.retyped()]?.sequence } }
        // The replica that takes over lacks the last commit.
        let replica = phone.server.change { $0 }
        add("Lost")
        let lost = sequence()
        try await phone.client.syncNow()
        #expect(try await Set(phone.titles(in: list)) == ["Lost", "Milk"])
        phone.server.change { $0 = replica }
        add("Tea")
        #expect(sequence() == lost)
        if beginsEpoch {
            phone.server.change { $0.epoch = "second" }
        } else {
            // The digests are compared when the feed moves, and the next round reads again what differs.
            add("Bread")
            try await phone.client.syncNow()
        }
        try await phone.client.syncNow()
        #expect(try await Set(phone.titles(in: list)) == (beginsEpoch ? ["Milk", "Tea"] : ["Bread", "Milk", "Tea"]))
    }

    @Test("Trap: Revoked rows stay – feeds lost are named, and removed with all that is in them") func lost()
        async throws
    {
        let (owner, list, _) = try await Phone.withItem()
        let guest = try await shared(owner, list, as: .editor)
        #expect(try await guest.titles(in: list) == ["Milk"])
        let me = try #require(try await guest.client.session.account())
        try await guest.lists.add("Unsent", to: list)
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        try await guest.client.syncNow()
        #expect(try await guest.lists.all().isEmpty)
        for table in ["list", "item", "member", "membership"] {
            #expect(try guest.query("SELECT * FROM \(table)").isEmpty)
        }
        #expect(try guest.query("SELECT * FROM feed WHERE id <> zeroblob(16)").isEmpty)
        let rejection = try #require(try await guest.client.rejections().first)
        #expect(rejection.code == .forbidden)
        #expect(rejection.values["title"] == "Unsent")
    }

    @Test("Law 8: Unsent edits to a list that is lost meanwhile become rejections") func lostMeanwhile() async throws {
        let (owner, list) = try await Phone.withList()
        let guest = try await shared(owner, list, as: .editor)
        let me = try #require(try await guest.client.session.account())
        let request = try #require(try guest.rounds.begin())
        owner.server.change { $0.expel(me, from: list, at: owner.clock.now) }
        let answer = owner.server.answer(request)
        try await guest.lists.add("Unsent", to: list)
        _ = try guest.rounds.finish(request, answer)
        #expect(try await guest.waiting() == 0)
        #expect(try await guest.client.rejections().map { $0.values["title"] } == ["Unsent"])
    }

    @Test("Law 12: Fields of newer versions are carried, not dropped") func unknownFields() async throws {
        let (phone, list, item) = try await Phone.withItem()
        let newer: Fields = ["colour": "blue", "tags": .array(["a", 1, true]), "place": .object(["shelf": 3])]
        phone.othersWrite(item.id, newer, in: list)
        try await phone.client.syncNow()
        try await phone.lists.setTicked(item.id, true)
        try await phone.client.syncNow()
        let lines = try phone.client.replica.canonicalLines(of: list.retyped())
        #expect(lines.contains { $0.contains(#""colour":"blue""#) && $0.contains(#""tags":["a",1,true]"#) })
        let kept = phone.server.change { $0.fields(item.id, in: list) }
        #expect(kept?["colour"] == "blue")
        #expect(kept?["ticked"] == true)
        // And by way of a page, on another device.
        let other = try await join(phone, phone.server)
        try await other.client.syncNow()
        #expect(
            try other.client.replica.canonicalLines(of: list.retyped())
                == phone.client.replica.canonicalLines(of: list.retyped()))
    }

    @Test("Trap: A schema change drops what an old client wrote – unknown collections are parked and count")
    func parked() async throws {
        let (phone, list) = try await Phone.withList()
        let recipes = RecordCollection(rawValue: "recipe")
        let id = RecordID<Never>(UUID(uuidString: "01890000-0000-7000-8000-000000000001") ?? UUID())
        let feed = FeedID(list.uuid)
        phone.server.change { $0.write(recipes, id, ["name": "Soup"], in: feed, at: phone.clock.now) }
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT fields FROM parked").map { $0[0] as String } == [#"{"name":"Soup"}"#])
        #expect(try phone.rounds.begin()?.reread == nil)
        phone.server.change { $0.write(recipes, id, ["name": "Stew"], in: feed, at: phone.clock.now) }
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT fields FROM parked").map { $0[0] as String } == [#"{"name":"Stew"}"#])
        phone.server.change { $0.write(recipes, id, nil, in: feed, at: phone.clock.now) }
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT * FROM parked").isEmpty)
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    @Test("Parked records are deleted if a page covers and lacks them") func parkedAbsence() async throws {
        let (phone, list) = try await Phone.withList()
        let recipe = RecordID<Never>(UUID(uuidString: "01890000-0000-7000-8000-000000000001") ?? UUID())
        phone.server.change {
            $0.write(
                RecordCollection(rawValue: "recipe"), recipe, ["name": "Soup"], in: list.retyped(), at: phone.clock.now)
        }
        try await phone.client.syncNow()
        phone.server.change { world in
            world.feeds[list.retyped()]?.records[recipe] = nil
            world.epoch = "second"
        }
        try await phone.client.syncNow()
        #expect(try phone.query("SELECT * FROM parked").isEmpty)
        #expect(try phone.rounds.begin()?.reread == nil)
    }

    @Test("A page deletes no parked record outside its range") func parkedBeyond() async throws {
        let (phone, list) = try await Phone.withList(FakeServer(page: 2))
        let feed = FeedID(list.uuid)
        let now = phone.clock.now
        func id(_ high: UInt64, _ low: UInt64) -> RecordID<Never> { RecordID(UUID(high: high, low: low)) }
        let (first, last) = (id(1, 1), id(.max, 1))
        phone.server.change { world in
            for recipe in [first, last] {
                world.write(RecordCollection(rawValue: "recipe"), recipe, ["name": "Soup"], in: feed, at: now)
            }
            for number in 2...5 as ClosedRange<UInt64> {
                world.write(.items, id(1, number), ["title": .text("\(number)")], in: feed, at: now)
            }
        }
        try await phone.client.syncNow()
        func parked() throws -> [RecordID<Never>] {
            try phone.query("SELECT id FROM parked ORDER BY id").map { $0[0] }
        }
        #expect(try parked() == [first, last])
        phone.server.change { world in
            for recipe in [first, last] { world.feeds[feed]?.records[recipe] = nil }
            world.epoch = "second"
        }
        #expect(try phone.round() == .again)
        #expect(try parked() == [last])
        try await phone.client.syncNow()
        #expect(try parked().isEmpty)
    }

    @Test("Trap: The answer of a round is half seen – everything of an answer comes in one transaction")
    func oneSnapshot() async throws {
        let (owner, list) = try await Phone.withList()
        for index in 0..<50 { try await owner.lists.add("Item \(index)", to: list) }
        try await owner.client.syncNow()
        let reader = try await join(owner, owner.server)
        var counts = Set<Int>()
        var iterator = reader.lists.liveItems(in: list).makeAsyncIterator()
        counts.insert(try #require(await iterator.next()).count)
        try await reader.client.syncNow()
        counts.insert(try #require(await iterator.next()).count)
        #expect(counts == [0, 50])
    }

    @Test("A round without news writes nothing into the outbox and requests nothing twice") func nothingNew()
        async throws
    {
        let (phone, _) = try await Phone.withList()
        try await phone.client.syncNow()
        let before = phone.server.rounds.count
        try await phone.client.syncNow()
        let request = try #require(phone.server.rounds.last)
        #expect(phone.server.rounds.count == before + 1)
        #expect(request.mutations.isEmpty && request.reread == nil && request.token != nil)
    }

    /// Another device of the same account.
    private func join(_ phone: Phone, _ server: FakeServer) async throws -> Phone {
        let other = try Phone(server, seed: 99)
        let token = try #require(try await phone.client.session.token())
        _ = try await other.client.session.activate(token: token)
        return other
    }
}

/// Another person's device, in a list of the owner.
func shared(_ owner: Phone, _ list: ListID, as role: Role, seed: UInt64 = 50) async throws -> Phone {
    let guest = try Phone(owner.server, seed: seed)
    let account = try await guest.client.session.open().account
    owner.server.change { $0.share(list, with: account, as: role, at: owner.clock.now) }
    try await guest.client.syncNow()
    return guest
}
