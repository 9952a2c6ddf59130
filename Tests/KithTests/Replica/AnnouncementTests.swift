import Foundation
import Kith
import KithModel
import Testing

@Suite("What a replica announces") struct AnnouncementTests {
    @Test("Confirmations of own edits are the device's changes, in items and in their list") func confirmed()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let transcript = Transcript(phone)
        let milk = try await phone.lists.add("Milk", to: list)
        #expect(transcript.take() == ["device lists ~Groceries", "device items +Milk"])
        // The server adds who made it.
        try phone.round()
        #expect(transcript.take() == ["device lists ~Groceries", "device items ~Milk"])
        try await phone.client.write { changes in
            try changes.add("Tea", to: list)
            try changes.add("Coffee", to: list)
        }
        #expect(transcript.take() == ["device lists ~Groceries", "device items +Tea +Coffee"])
        try phone.round()
        #expect(sorted(transcript.take()) == ["device lists ~Groceries", "device items ~Coffee ~Tea"])
        try await phone.lists.remove(milk.id)
        #expect(transcript.take() == ["device lists ~Groceries", "device items −Milk"])
        try phone.round()
        #expect(transcript.take() == [], "It was told when it was made.")
    }

    @Test("Changes by others in the same round are the server's, in either order") func byOthers()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let transcript = Transcript(phone)
        let tea = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1))
        let cake = ItemID(UUID(high: 0xFFFF_0000_0000_7000, low: 1))
        let now = phone.clock.now
        // One with an early identity and one with a late one, before my item and after it.
        for (id, title, isFirst) in [(tea, "Tea", true), (cake, "Cake", false)] {
            try await phone.lists.add("My \(title)", to: list)
            _ = transcript.take()
            let request = try #require(try phone.rounds.begin())
            // The first answer is lost.
            if !isFirst { _ = phone.server.answer(request) }
            phone.server.change {
                $0.write(.items, id.retyped(), ["title": .text(title)], in: list.retyped(), at: now)
            }
            _ = try phone.rounds.finish(request, phone.server.answer(request))
            #expect(
                transcript.take() == [
                    "device items ~My \(title)", "server lists ~Groceries", "server items +\(title)",
                ])
        }
    }

    @Test("An own edit of a record that was removed meanwhile is reported as the server's removal")
    func removedMeanwhile()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        try phone.round()
        try await phone.lists.setTicked(milk.id, true)
        let transcript = Transcript(phone)
        let request = try #require(try phone.rounds.begin())
        // It is taken, and its answer lost.
        _ = phone.server.answer(request)
        let now = phone.clock.now
        phone.server.change { $0.write(.items, milk.id.retyped(), nil, in: list.retyped(), at: now) }
        _ = try phone.rounds.finish(request, phone.server.answer(request))
        #expect(transcript.take() == ["server lists ~Groceries", "server items −Milk"])
    }

    @Test("A list that the server confirms is the device's change, unless someone has changed it too") func ownList()
        async throws
    {
        let server = FakeServer()
        // The device's clock is another than the server's: its time of the edit is replaced.
        let (phone, list) = try await Phone.withList(server, clock: Clock())
        let groceries = try #require(try await phone.lists.list(list))
        phone.clock.advance(by: .seconds(100))
        let transcript = Transcript(phone)
        try await phone.lists.update(with(groceries) { $0.name = "Food" })
        #expect(transcript.take() == ["device lists ~Food"])
        phone.clock.advance(by: .seconds(100))
        try phone.round()
        #expect(transcript.take().allSatisfy { $0 == "device lists ~Food" })
        let food = try #require(try await phone.lists.list(list))
        try await phone.lists.update(with(food) { $0.name = "Eat" })
        _ = transcript.take()
        server.change { $0.write(.lists, list.retyped(), ["kind": "todo"], in: list.retyped(), at: server.clock.now) }
        try phone.round()
        #expect(transcript.take() == ["server lists ~Eat"])
        #expect(try await phone.lists.list(list)?.kind == "todo")
    }

    @Test("A list that the server confirms at a later time of its own is still the device's change") func ownListLater()
        async throws
    {
        let server = FakeServer()
        let (phone, list) = try await Phone.withList(server, clock: Clock())
        let groceries = try #require(try await phone.lists.list(list))
        let transcript = Transcript(phone)
        try await phone.lists.update(with(groceries) { $0.name = "Food" })
        #expect(transcript.take() == ["device lists ~Food"])
        server.clock.advance(by: .seconds(100))
        try phone.round()
        #expect(transcript.take() == ["device lists ~Food"])
        #expect(try await phone.lists.list(list)?.modified == server.clock.now)
    }

    @Test("The only new item of a reread list is reported, together with its list") func oneNewItem() async throws {
        let (phone, list) = try await Phone.withList()
        let transcript = Transcript(phone)
        let now = phone.clock.now
        phone.server.change {
            let tea = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1))
            $0.write(.items, tea.retyped(), ["title": "Tea"], in: list.retyped(), at: now)
            $0.epoch = "second"
        }
        try phone.round()
        #expect(transcript.take() == ["server lists ~Groceries", "server items +Tea"])
    }

    @Test("Items that a list gets from its namesake in another store are reported") func mergedList()
        async throws
    {
        let phone = try Phone()
        let id = ListID(stable: "1", in: "com.example.groceries")
        try await phone.lists.create("Groceries", id: id)
        try await phone.client.syncNow()
        let account = try present(await phone.client.session.account())
        try await phone.client.session.select(.userless)
        try await phone.lists.create("Groceries", id: id)
        try await phone.lists.add("Cake", to: id)
        try await phone.client.session.select(.account(account))
        let transcript = Transcript(phone)
        try await phone.lists.moveLists(from: .userless, to: .account(account))
        #expect(transcript.take() == ["device lists ~Groceries", "device items +Cake"])
    }

    @Test("A first read in pages has the origin server: each item once, and at its end the signal")
    func firstRead() async throws {
        let server = FakeServer(page: 2)
        let (owner, list) = try await Phone.withList(server)
        let titles = (0..<7).map { "Item \($0)" }
        for title in titles { try await owner.lists.add(title, to: list) }
        try await owner.client.syncNow()
        let session = server.change { world in
            let session = world.openSession(at: owner.clock.now)
            world.share(list, with: session.account, as: .editor, at: owner.clock.now)
            return session
        }
        let phone = try Phone(server, seed: 2)
        _ = try await phone.client.session.activate(token: session.token)
        let transcript = Transcript(phone)
        try await phone.client.syncNow()
        let told = transcript.take()
        #expect(told.filter { $0.contains("device") } == [])
        #expect(told.filter { $0.hasPrefix("server lists +") } == ["server lists +Groceries"])
        let items = told.filter { $0.hasPrefix("server items ") }
        #expect(items.count > 1, "It came in pages.")
        #expect(items.flatMap { line in titles.filter { line.contains("+\($0)") } }.sorted() == titles)
        #expect(!items.contains { $0.contains("~") })
        // Each page of items is a change of its list, too.
        let lists = told.filter { $0.hasPrefix("server lists ") }
        #expect(lists.count >= items.count)
        #expect(told.filter { $0 == "populated" }.count == 1 && told.last == "populated")
        // What follows are changes: one item of one page, and not the end once more.
        let now = owner.clock.now
        server.change {
            $0.write(
                .items, ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1)).retyped(), ["title": "Late"],
                in: list.retyped(), at: now)
        }
        try await phone.client.syncNow()
        #expect(transcript.take() == ["server lists ~Groceries", "server items +Late"])
    }

    @Test("For a list of two accounts, a switch announces what only one of them has read")
    func switched() async throws {
        let (phone, list) = try await Phone.withList()
        let first = try present(await phone.client.session.account())
        let milk = try await phone.lists.add("Milk", to: list)
        try await phone.lists.add("Bread", to: list)
        try await phone.client.syncNow()
        let now = phone.clock.now
        let session = phone.server.change { world in
            let session = world.openSession(at: now)
            world.share(list, with: session.account, as: .editor, at: now)
            return session
        }
        _ = try await phone.client.session.activate(token: session.token)
        phone.server.change {
            let tea = ItemID(UUID(high: 0x0190_0000_0000_7000, low: 1))
            $0.write(.items, tea.retyped(), ["title": "Tea"], in: list.retyped(), at: now)
            $0.write(.items, milk.id.retyped(), ["title": "Oat milk"], in: list.retyped(), at: now)
        }
        try await phone.client.syncNow()
        let transcript = Transcript(phone)
        try await phone.client.session.select(.account(first))
        #expect(
            transcript.take() == [
                "device lists ~Groceries", "device items ~Milk −Tea", "device members −editor", "populated",
            ])
        try await phone.client.session.select(.account(session.account))
        #expect(
            transcript.take() == [
                "device lists ~Groceries", "device items +Tea ~Oat milk", "device members +editor", "populated",
            ])
    }

    @Test("The server's additions to an own request are the device's change; the other person's are the server's")
    func requests() async throws {
        let circle = try await Circle()
        let (phone, ada, bob) = (circle.phone, Circle.person(2), Circle.person(3))
        let transcript = Transcript(phone)
        try await circle.network.connect(ada)
        try await circle.network.connect(bob)
        #expect(transcript.take() == ["device contacts +sent", "device contacts +sent"])
        // Ada was told of it, and Bob has asked, too, by the time of the answer.
        circle.tell(ada, ["notified": .integer(circle.now.milliseconds)])
        circle.tell(bob, ["asked": .integer(circle.now.milliseconds), "given": "Bob"])
        try phone.round()
        #expect(transcript.take() == ["device contacts ~sent", "server contacts ~Bob"])
        // A new state of the record that shows nothing new.
        circle.tell(bob, ["given": "Bob"])
        try phone.round()
        #expect(transcript.take() == [])
        circle.tell(bob, ["given": "Robert"])
        try phone.round()
        #expect(transcript.take() == ["server contacts ~Robert"])
    }

    /// The lines with the names in each in their order.
    private func sorted(_ lines: [String]) -> [String] {
        lines.map { line in
            let words = line.split(separator: " ")
            return (words.prefix(2) + words.dropFirst(2).sorted()).joined(separator: " ")
        }
    }
}
