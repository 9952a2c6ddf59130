import KithModel
import Testing

@Suite("Edits of one item") struct SetTests {
    @Test("Law: A tick and a rename of the same item both survive, whichever arrives first")
    func tickAndRename() {
        for renameFirst in [true, false] {
            var item = LoneItem.existing()
            let tick = { (item: inout LoneItem, time: Int64) in
                _ = item.take(.set(["ticked": true]), device: 2, age: 10, at: time)
            }
            let rename = { (item: inout LoneItem, time: Int64) in
                _ = item.take(.set(["title": "Oat milk"]), device: 3, age: 20, at: time)
            }
            if renameFirst { rename(&item, LoneItem.made + 100) } else { tick(&item, LoneItem.made + 100) }
            if renameFirst { tick(&item, LoneItem.made + 200) } else { rename(&item, LoneItem.made + 200) }
            #expect(item.record?.fields == ["title": "Oat milk", "ticked": true, "position": "a0"])
        }
    }

    /// An edit as the people see it: who made it, and when, in true time.
    private struct Edit {
        var device: Int64
        var moment: Int64
        var set: Fields
    }

    private static func run(_ edits: [Edit], _ random: inout SplitMix64) -> LoneItem {
        var item = LoneItem.existing()
        var time = LoneItem.made + 10_000
        for edit in edits {
            time += .random(in: 0...50, using: &random)
            item.take(.set(edit.set), device: edit.device, age: time - LoneItem.made - edit.moment, at: time)
        }
        return item
    }

    @Test("Law: Edits of different fields commute", arguments: 0..<30 as Range<UInt64>)
    func differentFields(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sets: [Fields] = [["title": "Tea"], ["ticked": true], ["comment": "green"], ["category": "Drinks"]]
        let edits = sets.enumerated().map {
            Edit(device: Int64($0.offset) + 2, moment: .random(in: 1...10_000, using: &random), set: $0.element)
        }
        for order in edits.orders {
            let item = Self.run(order, &random)
            #expect(
                item.record?.fields == [
                    "title": "Tea", "ticked": true, "comment": "green", "category": "Drinks", "position": "a0",
                ])
            for edit in edits { #expect(item.stamp(edit.set.first?.key ?? "") == edit.moment) }
        }
    }

    @Test(
        "Law: Of edits of the same field the later one wins, whichever arrives first",
        arguments: 0..<60 as Range<UInt64>)
    func sameField(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let moments = Array((1...10_000 as ClosedRange<Int64>).shuffled(using: &random).prefix(4))
        // Each edits the title and now and then the comment too, so that fields win one by one.
        let edits = moments.enumerated().map { index, moment in
            var set: Fields = ["title": .text("by \(index)")]
            if Bool.random(using: &random) { set["comment"] = .text("by \(index)") }
            return Edit(device: Int64(index) + 2, moment: moment, set: set)
        }
        for order in edits.orders {
            let item = Self.run(order, &random)
            for field in ["title", "comment"] {
                let latest = edits.filter { $0.set[field] != nil }.max { $0.moment < $1.moment }
                #expect(item[field] == latest?.set[field] ?? .null)
                if let latest { #expect(item.stamp(field) == latest.moment) }
            }
        }
    }

    @Test("Edits of the same moment: the later arrival wins")
    func ties() {
        for (first, second) in [("Tea", "Coffee"), ("Coffee", "Tea")] {
            var item = LoneItem.existing()
            item.take(.set(["title": .text(first)]), device: 2, age: 100, at: LoneItem.made + 1_000)
            item.take(.set(["title": .text(second)]), device: 3, age: 150, at: LoneItem.made + 1_050)
            #expect(item["title"] == .text(second))
        }
    }

    @Test("An edit whose fields all have later edits is superseded, and the record is unchanged")
    func superseded() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made + 1_000)
        let before = item.record
        let outcome = item.take(.set(["title": "Coffee"]), device: 3, age: 1_500, at: LoneItem.made + 2_000)
        #expect(outcome == .superseded)
        #expect(item.record == before)
    }

    @Test("If later edits exist for a part of an edit, the remaining fields are applied")
    func partlySuperseded() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made + 1_000)
        item.take(.set(["title": "Coffee", "ticked": true]), device: 3, age: 1_500, at: LoneItem.made + 2_000)
        #expect(item["title"] == "Tea")
        #expect(item["ticked"] == true)
        #expect(item.record?.sequence == 3)
        #expect(item.record?.modified.milliseconds == LoneItem.made + 2_000)
    }

    @Test("Law: The same edit with the same stamp again changes no value", arguments: 0..<30 as Range<UInt64>)
    func idempotent(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var item = LoneItem.existing()
        for device in 2...5 as ClosedRange<Int64> {
            let time = LoneItem.made + 1_000 * device
            let age = Int64.random(in: 0...2_000, using: &random)
            let change = Mutation.Change.set(["title": .text("by \(device)"), "ticked": .flag(.random(using: &random))])
            item.take(change, device: device, age: age, at: time)
            let once = item.record
            item.take(change, device: device, age: age, at: time)
            #expect(item.record?.fields == once?.fields)
            #expect(["title", "ticked"].allSatisfy { item.record?.stamps[$0].time == once?.stamps[$0].time })
        }
    }

    @Test("Setting a field to null empties it, and a later edit can override that")
    func null() {
        var item = LoneItem.existing(LoneItem.draft.merging(["comment": "green"]) { $1 })
        item.take(.set(["comment": .null]), device: 2, at: LoneItem.made + 1_000)
        #expect(item.record?.fields == LoneItem.draft)
        #expect(item.take(.set(["comment": "black"]), device: 3, age: 500, at: LoneItem.made + 1_100) == .superseded)
        item.take(.set(["comment": "white"]), device: 3, at: LoneItem.made + 1_200)
        #expect(item["comment"] == "white")
    }

    @Test("Law: Fields of a newer version are carried, by edits of other fields too")
    func unknownFields() {
        var item = LoneItem.existing(LoneItem.draft.merging(["colour": ["red": 255]]) { $1 })
        item.take(.set(["title": "Tea", "shape": [1, "round", .null]]), at: LoneItem.made + 1_000)
        item.take(.edit(set: [:], add: ["count": 2]), at: LoneItem.made + 2_000)
        #expect(
            item.record?.fields == [
                "title": "Tea", "position": "a0", "colour": ["red": 255], "shape": [1, "round", .null], "count": 3,
            ])
    }
}
