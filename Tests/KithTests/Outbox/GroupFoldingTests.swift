import Foundation
import Kith
import KithModel
import Testing

@Suite("Edits of different groups never become one mutation") struct GroupFoldingTests {
    @Test("Two groups that edit the same records one after the other are sent as two groups") func consecutive()
        async throws
    {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        let tea = try await phone.lists.add("Tea", to: list)
        try await phone.client.syncNow()
        for comment in ["first", "second"] {
            try await phone.client.write { changes in
                try changes.update(milk.id) { $0.comment = comment }
                try changes.update(tea.id) { $0.comment = comment }
            }
        }
        let sent = try phone.mutations()
        let start = try #require(sent.first?.number)
        #expect(
            sent.map(\.change) == [
                .set(["comment": "first"]), .set(["comment": "first"]), .set(["comment": "second"]),
                .set(["comment": "second"]),
            ])
        #expect(sent.map { $0.group.map { $0 - start } } == [0, 0, 2, 2])
    }

    @Test("A refused group does not affect other groups") func refused() async throws {
        let (phone, list) = try await Phone.withList()
        let milk = try await phone.lists.add("Milk", to: list)
        let tea = try await phone.lists.add("Tea", to: list)
        let gone = try await phone.lists.add("Gone", to: list)
        try await phone.client.syncNow()
        let now = phone.clock.now
        phone.server.change { $0.write(.items, gone.id.retyped(), nil, in: list.retyped(), at: now) }
        for (comment, other) in [("first", tea.id), ("second", gone.id), ("third", tea.id)] {
            try await phone.client.write { changes in
                if comment != "third" { try changes.update(milk.id) { $0.comment = comment } }
                try changes.update(other) { $0.comment = comment }
                try changes.update(other) { $0.category = comment }
                try changes.setTicked(milk.id, comment == "third")
            }
        }
        try await phone.client.syncNow()
        #expect(try await phone.client.rejections().map(\.code.rawValue).sorted() == ["deleted", "group"])
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["comment"] } == "first")
        #expect(phone.server.change { $0.fields(milk.id, in: list)?["ticked"] } == true)
        #expect(phone.server.change { $0.fields(tea.id, in: list)?["comment"] } == "third")
        #expect(try await phone.lists.item(milk.id)?.comment == "first")
        #expect(try await phone.waiting() == 0)
    }

    @Test(
        "In any order of offline groups and single edits, each group is sent as it was written",
        arguments: 0..<20 as Range<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        let (phone, list) = try await Phone.withList(seed: seed + 1)
        var ids: [ItemID] = []
        for title in ["Milk", "Tea", "Cake"] { ids.append(try await phone.lists.add(title, to: list).id) }
        try await phone.client.syncNow()
        var random = SplitMix64(seed: seed)
        var expected: [Waiting] = []
        for write in 0..<12 {
            let isGroup = Bool.random(using: &random)
            var edits: [Edit] = []
            for number in 0..<(isGroup ? 3 : 1) {
                let item = ids[Int.random(in: 0..<ids.count, using: &random)]
                let field = Bool.random(using: &random) ? "comment" : "category"
                edits.append(Edit(item: item, field: field, value: "\(write)-\(number)"))
            }
            for edit in edits { expected.note(edit, group: isGroup ? write : nil) }
            if isGroup {
                try await phone.client.write { [edits] changes in
                    for edit in edits { try changes.update(edit.item) { edit.make(&$0) } }
                }
            } else {
                for edit in edits { try await phone.lists.update(edit.item) { edit.make(&$0) } }
            }
        }
        let sent = try phone.mutations()
        try #require(sent.count == expected.count)
        #expect(sent.map(\.record.uuid) == expected.map(\.item.uuid))
        #expect(sent.map(\.change) == expected.map { Mutation.Change.set($0.fields) })
        // The number of a group's first mutation; a group of which one mutation is left is none.
        let groups = expected.map { one -> Int64? in
            let members = expected.indices.filter { one.group != nil && expected[$0].group == one.group }
            return members.count > 1 ? sent[members[0]].number : nil
        }
        #expect(sent.map(\.group) == groups)
    }
}

/// One edit: it gives a field of an item a value that no other edit gives.
private struct Edit: Sendable {
    let item: ItemID
    let field: String
    let value: String

    func make(_ item: inout ListItem) {
        if field == "comment" { item.comment = value } else { item.category = value }
    }
}

/// A mutation as the outbox should have it.
private struct Waiting {
    let item: ItemID
    /// The write that it belongs to; nil if it stands alone.
    let group: Int?
    var fields: Fields
}

extension [Waiting] {
    /// Folds an edit into the last mutation of its item if both are of one group, or both stand alone.
    fileprivate mutating func note(_ edit: Edit, group: Int?) {
        if let last = lastIndex(where: { $0.item == edit.item }), self[last].group == group {
            self[last].fields[edit.field] = .text(edit.value)
        } else {
            append(Waiting(item: edit.item, group: group, fields: [edit.field: .text(edit.value)]))
        }
    }
}
