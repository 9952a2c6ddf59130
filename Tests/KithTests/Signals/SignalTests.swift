import Foundation
import Kith
import KithModel
import Testing

@Suite("Signals") struct SignalTests {
    @Test(
        "Law 9: A late listener gets the state and then the changes, no gap, no repeat",
        arguments: 0..<8 as Range<UInt64>)
    func lateListeners(seed: UInt64) async throws {
        let phone = try Phone(seed: seed + 1)
        let list = try await phone.lists.create("Groceries").id
        let total = 120
        let titles = try await withThrowingTaskGroup(of: [String]?.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for index in 0..<(total / 2) { try await phone.lists.add("\(writer)-\(index)", to: list) }
                    return nil
                }
            }
            // Listeners begin while others write; each hears everything once, as state or as a change.
            for _ in 0..<4 {
                group.addTask {
                    var heard: [String] = []
                    var isFirst = true
                    for await changed in phone.lists.itemChanges() {
                        if (changed.origin == .state) != isFirst { return ["The state came twice, or late."] }
                        isFirst = false
                        heard += changed.added.map(\.title)
                        if heard.count >= total { break }
                    }
                    return heard
                }
            }
            return try await group.reduce(into: [[String]]()) { if let heard = $1 { $0.append(heard) } }
        }
        let all = (0..<2).flatMap { writer in (0..<(total / 2)).map { "\(writer)-\($0)" } }.sorted()
        #expect(titles.count == 4)
        for heard in titles { #expect(heard.sorted() == all) }
    }

    @Test("A change is reported after it can be read, with its contents and its origin") func origin() async throws {
        let (phone, list, item) = try await Phone.withItem()
        var changes = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await changes.next()?.added.map(\.title) == ["Milk"])
        try await phone.lists.setTicked(item.id, true)
        let own = try #require(await changes.next())
        #expect(own.origin == .device)
        #expect(own.modified.map(\.isTicked) == [true])
        #expect(own.added.isEmpty && own.removed.isEmpty)
        try await phone.client.syncNow()
        phone.othersWrite(item.id, ["title": "Tea"], in: list)
        try await phone.client.syncNow()
        var told = try #require(await changes.next())
        while told.origin == .device { told = try #require(await changes.next()) }
        #expect(told.origin == .server)
        #expect(told.modified.map(\.title) == ["Tea"])
        #expect(try await phone.lists.item(item.id)?.title == "Tea")
        phone.othersRemove(item.id, in: list)
        try await phone.client.syncNow()
        let removed = try #require(await changes.next())
        #expect(removed.removed.map(\.title) == ["Tea"])
        #expect(removed.origin == .server)
    }

    @Test("Lists are reported as added, modified and removed; a change of an item modifies its list")
    func lists() async throws {
        let phone = try Phone()
        var changes = phone.lists.changes().makeAsyncIterator()
        #expect(await changes.next()?.origin == .state)
        let list = try await phone.lists.create("Groceries")
        #expect(await changes.next()?.added == [list])
        let item = try await phone.lists.add("Milk", to: list.id)
        #expect(await changes.next()?.modified.map(\.id) == [list.id])
        try await phone.lists.setTicked(item.id, true)
        #expect(await changes.next()?.modified.map(\.id) == [list.id])
        try await phone.lists.update(with(list) { $0.name = "Food" })
        #expect(await changes.next()?.modified.map(\.name) == ["Food"])
        try await phone.lists.remove(list.id)
        let removed = try #require(await changes.next())
        #expect(removed.removed.map(\.name) == ["Food"])
        #expect(removed.added.isEmpty && removed.modified.isEmpty)
    }

    @Test("For a removed list observers receive only the list, not each of its items") func removedList()
        async throws
    {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        try await phone.lists.add("Milk", to: list)
        var items = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await items.next()?.added.count == 1)
        try await phone.lists.remove(list)
        let other = try await phone.lists.create("Other").id
        try await phone.lists.add("Tea", to: other)
        let next = try #require(await items.next())
        #expect(next.added.map(\.title) == ["Tea"])
        #expect(next.removed.isEmpty)
    }

    @Test("Edits written together are reported together, each record once") func together() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        var items = phone.lists.itemChanges().makeAsyncIterator()
        _ = await items.next()
        try await phone.client.write { changes in
            let milk = try changes.add("Milk", to: list)
            try changes.setTicked(milk.id, true)
            let tea = try changes.add("Tea", to: list)
            try changes.remove(tea.id)
        }
        let changed = try #require(await items.next())
        #expect(changed.added.map(\.title) == ["Milk"])
        #expect(changed.added.map(\.isTicked) == [true])
        #expect(changed.modified.isEmpty && changed.removed.isEmpty)
    }

    @Test("A write that fails is not reported") func failedWrite() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        var items = phone.lists.itemChanges().makeAsyncIterator()
        _ = await items.next()
        _ = await code {
            try await phone.client.write { changes in
                try changes.add("Milk", to: list)
                try changes.add("", to: list)
            }
        }
        try await phone.lists.add("Tea", to: list)
        #expect(await items.next()?.added.map(\.title) == ["Tea"])
    }

    @Test("Trap: Listening twice delivers twice – each listener hears each change once") func twice() async throws {
        let phone = try Phone()
        var first = phone.lists.changes().makeAsyncIterator()
        var second = phone.lists.changes().makeAsyncIterator()
        _ = await (first.next(), second.next())
        try await phone.lists.create("A")
        try await phone.lists.create("B")
        #expect(await first.next()?.added.map(\.name) == ["A"])
        #expect(await first.next()?.added.map(\.name) == ["B"])
        #expect(await second.next()?.added.map(\.name) == ["A"])
        #expect(await second.next()?.added.map(\.name) == ["B"])
    }

    @Test("A switch of accounts reports the new account's lists as added and the former's as removed") func switching()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let account = try #require(try await phone.client.session.account())
        var lists = phone.lists.changes().makeAsyncIterator()
        var items = phone.lists.itemChanges().makeAsyncIterator()
        _ = await (lists.next(), items.next())
        try await phone.client.session.select(.userless)
        #expect(await lists.next()?.removed.map(\.id) == [list])
        try await phone.client.session.select(.account(account))
        #expect(await lists.next()?.added.map(\.id) == [list])
        #expect(await items.next()?.added.map(\.title) == ["Milk"])
    }

    @Test("If the userless store has the same list, dropping the current store reports the items that differ")
    func droppingSameList() async throws {
        let (phone, list) = try await Phone.withList()
        try await phone.lists.add("Milk", to: list)
        let account = try #require(try await phone.client.session.account())
        try await phone.client.session.select(.userless)
        try await phone.lists.create("Groceries", id: list)
        try await phone.lists.add("Tea", to: list)
        try await phone.client.session.select(.account(account))
        var items = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await items.next()?.added.map(\.title) == ["Milk"])
        try await phone.client.accounts.drop(.account(account))
        try await phone.lists.add("Salt", to: list)
        let changed = try #require(await items.next())
        #expect(changed.removed.map(\.title) == ["Milk"] && changed.added.map(\.title) == ["Tea"])
    }

    @Test("Members who join and leave are reported") func members() async throws {
        let (owner, list) = try await Phone.withList()
        var members = owner.lists.memberChanges().makeAsyncIterator()
        #expect(await members.next()?.added.map(\.role) == [.owner])
        let guest = try await shared(owner, list, as: .viewer)
        let grace = try #require(try await guest.client.session.account())
        try await owner.client.syncNow()
        #expect(await members.next()?.added.map(\.id) == [grace])
        try await owner.lists.setRole(.editor, of: grace, in: list)
        #expect(await members.next()?.modified.map(\.role) == [.editor])
        try await owner.lists.removeMember(grace, from: list)
        #expect(await members.next()?.removed.map(\.id) == [grace])
    }

    @Test("A listener that falls too far behind is ended, and can listen again") func tooSlow() async throws {
        #expect(KithClient.unreadChanges == 10_000)
        let phone = try Phone(unreadChanges: 100)
        let list = try await phone.lists.create("Groceries").id
        let item = try await phone.lists.add("Milk", to: list)
        var slow = phone.lists.itemChanges().makeAsyncIterator()
        _ = await slow.next()
        for change in 0..<110 {
            try await phone.lists.setTicked(item.id, change.isMultiple(of: 2))
        }
        var heard = 0
        while await slow.next() != nil { heard += 1 }
        #expect(heard == 100)
        var again = phone.lists.itemChanges().makeAsyncIterator()
        #expect(await again.next()?.added.map(\.title) == ["Milk"])
    }
}
