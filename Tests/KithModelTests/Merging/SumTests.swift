import KithModel
import Testing

@Suite("Additions") struct SumTests {
    @Test("Law: Additions commute and add up", arguments: 0..<40 as Range<UInt64>)
    func commute(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let amounts = (0..<4).map { _ in Int64.random(in: -9_999...9_999, using: &random) }
        for order in amounts.orders {
            var item = LoneItem.existing()
            for (index, amount) in order.enumerated() {
                let age = Int64.random(in: 0...10_000, using: &random)
                item.take(
                    .edit(set: [:], add: ["count": amount]), device: Int64(index), age: age,
                    at: LoneItem.made + 1_000 * Int64(index))
            }
            // A new item counts as one.
            #expect(item["count"] == .integer(1 + amounts.reduce(0, +)))
        }
    }

    @Test("Additions are applied regardless of their age and of later edits")
    func oldAddition() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea", "count": 5]), device: 2, at: LoneItem.made + 5_000)
        let outcome = item.take(
            .edit(set: ["title": "Coffee"], add: ["count": 2]), device: 3, age: 4_000, at: LoneItem.made + 6_000)
        #expect(outcome != .superseded)
        #expect(item["title"] == "Tea")
        #expect(item["count"] == 7)
    }

    @Test("A sum that left its range returns to the exact value")
    func outOfRange() {
        var item = LoneItem.existing()
        for amount in [-10, 10, 20_000, -19_998] as [Int64] {
            item.take(.edit(set: [:], add: ["count": amount]), at: LoneItem.made + 1_000)
        }
        #expect(item["count"] == 3)
    }

    @Test("No sum overflows, whatever is added", arguments: [.min, .min + 1, -1, 0, 1, .max] as [Int64])
    func extremes(amount: Int64) {
        for start in [.min, -Limits.sum, 0, Limits.sum, .max] as [Int64] {
            let sum = Mutation.Change.edit(set: [:], add: ["count": amount])
                .applied(to: ["count": .integer(start)], of: ListItem.schema)?["count"]?.integer
            let expected = min(max(Int128(start) + Int128(amount), Int128(-Limits.sum)), Int128(Limits.sum))
            #expect(sum == Int64(expected))
        }
    }

    @Test("One change may set a number and add to it: the set comes first")
    func setThenAdd() {
        var item = LoneItem.existing()
        item.take(.edit(set: ["count": 10], add: ["count": 2]), at: LoneItem.made + 1_000)
        #expect(item["count"] == 12)
    }
}
