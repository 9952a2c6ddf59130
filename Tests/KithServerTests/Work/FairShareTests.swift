import KithModel
import KithServer
import Testing

@Suite("Fair shares of a limited resource") struct FairShareTests {
    @Test("One owner alone gets half")
    func alone() {
        var share = FairShare<Int>(total: 1_000)
        while share.take(by: 0) {}
        #expect(share.used == 500)
    }

    @Test(
        "Even after many greedy owners, the next one gets its base share",
        arguments: [1, 2, 64, 512, 1_000, 10_000, 512 << 20])
    func oneAfterTheOther(total: Int) {
        var share = FairShare<Int>(total: total)
        for owner in 0..<min(total / 2, FairShare<Int>.guaranteed) {
            #expect(share.take(share.base, by: owner) == true, "Owner \(owner) gets nothing.")
            var part = total
            while part > 0 { if !share.take(part, by: owner) { part /= 2 } }
        }
        #expect(share.used <= total)
    }

    @Test(
        "A fixed number of owners always get their base share, in any order of taking and releasing",
        arguments: 0..<50 as Range<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var share = FairShare<Int>(total: 1_000)
        let greedy = FairShare<Int>.guaranteed - 1
        for _ in 0..<5_000 {
            let (owner, amount) = (Int.random(in: 0..<greedy, using: &random), Int.random(in: 1...50, using: &random))
            if Int.random(in: 0..<4, using: &random) > 0 {
                _ = share.take(amount, by: owner)
            } else if share.held(by: owner) >= amount {
                share.giveBack(amount, by: owner)
            }
            var other = share
            #expect(other.take(other.base, by: -1) == true, "Somebody new gets the base.")
        }
    }

    @Test("Many owners with small shares can use the whole resource")
    func many() {
        var share = FairShare<Int>(total: 1_000)
        for owner in 0..<1_000 { #expect(share.take(by: owner) == true) }
        #expect(share.take(by: 1_000) == false)
    }

    @Test("Nobody gets more than the maximum share, and released parts can be used again")
    func each() {
        var share = FairShare<String>(total: 100, each: 10)
        #expect(share.take(10, by: "ada") == true)
        #expect(share.take(by: "ada") == false)
        share.giveBack(4, by: "ada")
        #expect(share.held(by: "ada") == 6 && share.used == 6)
        #expect(share.take(4, by: "ada") == true)
        share.giveBack(10, by: "ada")
        #expect(share.used == 0 && share.owners == 0)
    }

    @Test("The shares in use never exceed the total, in any order of requests", arguments: 0..<50 as Range<UInt64>)
    func bound(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var share = FairShare<Int>(total: 64, each: 40)
        var held: [Int: Int] = [:]
        for _ in 0..<2_000 {
            let (owner, amount) = (Int.random(in: 0..<6, using: &random), Int.random(in: 1...5, using: &random))
            if Bool.random(using: &random) {
                if share.take(amount, by: owner) { held[owner, default: 0] += amount }
            } else if held[owner, default: 0] >= amount {
                share.giveBack(amount, by: owner)
                held[owner, default: 0] -= amount
            }
            #expect(share.used == held.values.reduce(0, +) && share.used <= 64)
            #expect(held.allSatisfy { share.held(by: $0.key) == $0.value && $0.value <= 40 })
        }
    }
}
