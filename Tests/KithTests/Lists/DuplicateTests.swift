import Foundation
import Kith
import KithModel
import Testing

@Suite("Duplicates") struct DuplicateTests {
    @Test("Trap: Adding the same thing twice on two devices gives two rows where people expect one with a larger count")
    func merge() async throws {
        let (phone, list) = try await Phone.withList()
        let tablet = try Phone(phone.server, seed: 9)
        _ = try await tablet.client.session.activate(token: try #require(try await phone.client.session.token()))
        try await tablet.client.syncNow()
        phone.clock.advance(by: .seconds(1))
        let kept = try await phone.lists.add("Oat  milk", to: list, count: 2)
        phone.clock.advance(by: .seconds(1))
        try await tablet.lists.add("oat milk ", to: list, count: 3, comment: "the blue one")
        for device in [tablet, phone] { try await device.client.syncNow() }
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(duplicate.kept.id == kept.id)
        #expect(duplicate.others.map(\.count) == [3])
        #expect(duplicate.count == 5)
        let merged = try await phone.lists.merge(duplicate)
        #expect((merged.count, merged.title, merged.comment) == (5, "Oat  milk", "the blue one"))
        for device in [phone, tablet] { try await device.client.syncNow() }
        #expect(try await tablet.lists.items(in: list).map(\.count) == [5])
        #expect(try await phone.lists.duplicates(in: list).isEmpty)
    }

    @Test("Only items that look the same to people are duplicates") func likeness() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        func add(_ title: String, offer: String? = nil) async throws -> ItemID {
            phone.clock.advance(by: .seconds(1))
            return try await phone.lists.add(title, to: list, offer: offer).id
        }
        try await phone.lists.setTicked(try await add("Milk"), true)
        for (title, offer) in [("Milk", nil), ("Milk", "1"), ("Milk", "2"), ("Milky", nil)] as [(String, String?)] {
            _ = try await add(title, offer: offer)
        }
        #expect(try await phone.lists.duplicates(in: list).isEmpty)
        for title in ["Cafe\u{301}", "CAFÉ", "milk"] { _ = try await add(title) }
        #expect(try await phone.lists.duplicates(in: list).map(\.kept.title) == ["Milk", "Cafe\u{301}"])
    }

    @Test("Trap: The counts of duplicates add up to more than 9,999, and the rest is lost – what does not fit stays")
    func largeCounts() async throws {
        let (phone, list) = try await Phone.withList()
        for _ in 0..<3 { try await phone.lists.add("Rice", to: list, count: 4_000) }
        try await phone.client.syncNow()
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(duplicate.count == 12_000)
        #expect(try await phone.lists.merge(duplicate).count == 8_000)
        #expect(try await phone.lists.items(in: list).map(\.count).sorted() == [4_000, 8_000])
        let left = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(try await phone.lists.merge(left) == left.kept, "Nothing fits any more.")
    }

    @Test("A merge adds to the count that is shown, even if the stored sum is below the range") func hiddenSum()
        async throws
    {
        let (phone, list, milk) = try await Phone.withItem()
        phone.clock.advance(by: .seconds(1))
        try await phone.lists.add("milk", to: list, count: 3)
        phone.othersWrite(milk.id, ["count": -3], in: list)
        try await phone.client.syncNow()
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(duplicate.kept.id == milk.id && duplicate.count == 4)
        #expect(try await phone.lists.merge(duplicate).count == 4)
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["count"] } == 4)
    }

    @Test("A merge is atomic") func together() async throws {
        let (phone, list) = try await Phone.withList()
        for _ in 0..<3 { try await phone.lists.add("Rice", to: list, count: 3_333) }
        try await phone.client.syncNow()
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(duplicate.count == 9_999)
        #expect(try await phone.lists.merge(duplicate).count == 9_999)
        let sent = try phone.mutations()
        let condition = Mutation.Change.edit(set: ["count": 3_333], add: ["count": 0])
        #expect(sent.map(\.change).dropFirst() == [condition, .delete, condition, .delete])
        #expect(Set(sent.map(\.group)) == [sent.first?.number])
        #expect(try await phone.lists.items(in: list).count == 1)
    }

    @Test("Law 1: Duplicates that two devices merge at the same time count once: the second merge is refused")
    func mergedTwice() async throws {
        let (phone, list) = try await Phone.withList()
        let tablet = try Phone(phone.server, seed: 9)
        _ = try await tablet.client.session.activate(token: try #require(try await phone.client.session.token()))
        for (count, comment) in [(2, nil), (3, "brown")] as [(Int, String?)] {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add("Rice", to: list, count: count, comment: comment)
        }
        for device in [phone, tablet] { try await device.client.syncNow() }
        for device in [phone, tablet] {
            let duplicate = try #require(try await device.lists.duplicates(in: list).first)
            #expect(try await device.lists.merge(duplicate).count == 5)
        }
        for device in [phone, tablet, phone] { try await device.client.syncNow() }
        for device in [phone, tablet] {
            #expect(try await device.lists.items(in: list).map(\.count) == [5])
            #expect(try await device.lists.items(in: list).map(\.comment) == ["brown"])
        }
        #expect(try await phone.client.rejections().isEmpty)
        let rejections = try await tablet.client.rejections()
        #expect(rejections.count == 3)
        #expect(rejections.filter { $0.code == .deleted }.map(\.values) == [["count": 0]])
        #expect(rejections.count { $0.code == .group } == 2)
    }

    @Test("A merge with an item that was removed meanwhile changes nothing") func removedMeanwhile() async throws {
        let (phone, list) = try await Phone.withList()
        for _ in 0..<3 {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add("Rice", to: list)
        }
        try await phone.client.syncNow()
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        phone.othersRemove(try #require(duplicate.others.first).id, in: list)
        try await phone.lists.merge(duplicate)
        try await phone.client.syncNow()
        #expect(try await phone.lists.items(in: list).map(\.count) == [1, 1])
        #expect(try await phone.client.rejections().count == 5)
    }

    @Test("Law 2: A merge is refused if another device has changed what it would remove", arguments: [false, true])
    func changedMeanwhile(isCount: Bool) async throws {
        let (phone, list) = try await Phone.withList()
        let tablet = try Phone(phone.server, seed: 9)
        _ = try await tablet.client.session.activate(token: try #require(try await phone.client.session.token()))
        for _ in 0..<2 {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add("Rice", to: list)
        }
        for device in [phone, tablet] { try await device.client.syncNow() }
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        let other = try #require(duplicate.others.first).id
        if isCount {
            try await tablet.lists.increase(other, in: list, by: 2)
        } else {
            try await tablet.lists.update(other, in: list) { $0.comment = "brown" }
        }
        try await tablet.client.syncNow()
        try await phone.lists.merge(duplicate)
        try await phone.client.syncNow()
        let item = try #require(try await phone.lists.items(in: list).first { $0.id == other })
        #expect(item.count == (isCount ? 3 : 1) && item.comment == (isCount ? nil : "brown"))
        #expect(try await phone.lists.items(in: list).first { $0.id == duplicate.kept.id }?.count == 1)
        let rejections = try await phone.client.rejections()
        #expect(rejections.filter { $0.code == .changed }.map(\.values) == [["count": 0]])
        #expect(rejections.count { $0.code == .group } == 2)
        // The same merge again, with what the device now knows.
        try await phone.lists.merge(try #require(try await phone.lists.duplicates(in: list).first))
        for device in [phone, tablet] { try await device.client.syncNow() }
        #expect(try await tablet.lists.items(in: list).map(\.count) == [isCount ? 4 : 2])
    }

    @Test("Edits of the same device that wait, or were written together with a merge, do not stand in its way")
    func editedBefore() async throws {
        let (phone, list) = try await Phone.withList()
        for _ in 0..<3 {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add("Rice", to: list)
        }
        try await phone.client.syncNow()
        let items = try #require(try await phone.lists.duplicates(in: list).first).others
        try await phone.lists.increase(items[0].id, in: list, by: 2)
        try await phone.client.write { changes in
            try changes.increase(items[1].id, in: list, by: 3)
            try changes.update(items[1].id, in: list) { $0.comment = "brown" }
            for duplicate in try changes.duplicates(in: list) { try changes.merge(duplicate) }
        }
        try await phone.client.syncNow()
        #expect(try await phone.lists.items(in: list).map(\.count) == [8])
        #expect(try await phone.lists.items(in: list).map(\.comment) == ["brown"])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("Items whose creation is in flight are merged; those that were never sent leave nothing") func unsent()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        for _ in 0..<2 { try await phone.lists.add("Rice", to: list) }
        #expect(try phone.mutations().count == 2)
        phone.clock.advance(by: .seconds(1))
        try await phone.lists.add("Rice", to: list)
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        #expect(try await phone.lists.merge(duplicate).count == 3)
        #expect(try await phone.waiting() == 5, "Two creations, an addition, and two edits of the item that was sent.")
        try await phone.client.syncNow()
        #expect(phone.server.change { $0.titles(in: list) } == ["Rice"])
        #expect(try await phone.lists.items(in: list).map(\.count) == [3])
        #expect(try await phone.client.rejections().isEmpty)
    }

    @Test("A merge keeps every comment, each on its line, and a category") func comments() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        try await phone.lists.add("Milk", to: list, comment: "for Ben: lactose free")
        phone.clock.advance(by: .seconds(1))
        try await phone.lists.add("milk", to: list, category: "Dairy", comment: "for Ada: the blue one")
        phone.clock.advance(by: .seconds(1))
        try await phone.lists.add("MILK", to: list, category: "Drinks", comment: "for Ben: lactose free")
        let merged = try await phone.lists.merge(try #require(try await phone.lists.duplicates(in: list).first))
        #expect(merged.comment == "for Ben: lactose free\nfor Ada: the blue one")
        #expect(merged.category == "Dairy")
        #expect(merged.count == 3)
        #expect(try await phone.lists.items(in: list).count == 1)
    }

    @Test("An item whose comment no longer fits is not merged") func longComments() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        let (first, second) = (String(repeating: "a", count: 1_500), String(repeating: "b", count: 1_500))
        for comment in [first, second, "short"] {
            phone.clock.advance(by: .seconds(1))
            try await phone.lists.add("Milk", to: list, comment: comment)
        }
        let merged = try await phone.lists.merge(try #require(try await phone.lists.duplicates(in: list).first))
        #expect((merged.comment, merged.count) == (first + "\nshort", 2))
        #expect(try await phone.lists.items(in: list).map(\.comment) == [first + "\nshort", second])
    }

    @Test("A merge of items that are gone meanwhile is notFound") func gone() async throws {
        let phone = try Phone()
        let list = try await phone.lists.create("Groceries").id
        let first = try await phone.lists.add("Milk", to: list)
        try await phone.lists.add("Milk", to: list)
        let duplicate = try #require(try await phone.lists.duplicates(in: list).first)
        try await phone.lists.remove(first.id)
        #expect(await code { try await phone.lists.merge(duplicate) } == .notFound)
        #expect(try await phone.lists.items(in: list).count == 1)
    }
}
