import KithModel
import Testing

@Suite("Deletions") struct DeletionTests {
    @Test("Law: A deletion is final, whatever arrives before and after it", arguments: 0..<30 as Range<UInt64>)
    func final(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let changes: [Mutation.Change] = [
            .delete, .set(["title": "Tea"]), .edit(set: [:], add: ["count": 1]), .set(LoneItem.draft),
        ]
        for order in changes.orders {
            var item = LoneItem.existing()
            var isDeleted = false
            for (index, change) in order.enumerated() {
                let age = change == .delete ? .max : Int64.random(in: -100...100, using: &random)
                let outcome = item.take(
                    change, device: Int64(index) + 2, age: age, at: LoneItem.made + 1_000 * Int64(index + 1))
                if isDeleted { #expect(outcome == .rejected(.deleted)) }
                if change == .delete { isDeleted = true }
            }
            #expect(item.record?.isDeleted == true)
            #expect(item.record?.fields == [:])
        }
    }

    @Test("A deletion leaves a tombstone with its sequence and time")
    func tombstone() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made + 1_000)
        item.take(.delete, device: 5, age: 10, at: LoneItem.made + 2_000)
        let time = Timestamp(milliseconds: LoneItem.made + 2_000)
        #expect(
            item.record
                == RecordState(
                    fields: [:], stamps: Stamps(common: Stamp(time: time, sequence: 3, device: 5)), sequence: 3,
                    modified: time, isDeleted: true))
    }

    @Test("Deleting a deleted or unknown record is superseded")
    func twice() {
        var item = LoneItem()
        #expect(item.take(.delete, at: LoneItem.made) == .superseded)
        #expect(item.record == nil)
        item = .existing()
        item.take(.delete, at: LoneItem.made + 1)
        #expect(item.take(.delete, at: LoneItem.made + 2) == .superseded)
    }

    @Test(
        "An edit of an unknown record is rejected `notFound`",
        arguments: [
            .set(["title": "Tea"]), .set(["ticked": true]), .edit(set: [:], add: ["count": 1]),
            .set(["title": "Tea", "position": .null]),
        ] as [Mutation.Change])
    func unknown(change: Mutation.Change) {
        for seen in [0, 7] as [Int64] {
            var item = LoneItem()
            #expect(item.take(change, seen: seen, at: LoneItem.made) == .rejected(.notFound))
        }
    }

    @Test("Trap: A deleted item comes back once its tombstone is forgotten")
    func forgottenTombstone() {
        // A rename and a move make up every field that a new item needs, but
        // this device had seen the item, so it is not new.
        var item = LoneItem()
        #expect(item.take(.set(LoneItem.draft), seen: 4, at: LoneItem.made) == .rejected(.notFound))
        #expect(item.record == nil)
    }
}
