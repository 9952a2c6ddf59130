import KithModel
import Testing

@Suite("Arrangements") struct ArrangementTests {
    private typealias Order = Arrangement<ListItem>

    private static func id(_ number: Int) -> ItemID { ItemID(uuid(UInt64(number))) }

    /// An order that is written as the app writes it: keys by id.
    private struct Shelf {
        var keys: [ItemID: IndexKey?]

        init(_ keys: [IndexKey?]) {
            self.keys = Dictionary(uniqueKeysWithValues: keys.enumerated().map { (id($0.offset), $0.element) })
        }

        var order: Order { Order(keys.map { (id: $0.key, key: $0.value) }) }
        var ids: [ItemID] { keys.map { (id: $0.key, key: $0.value) }.sorted(by: Order.isOrdered).map(\.id) }

        /// - Returns: How many keys were written.
        mutating func place(_ id: ItemID, after predecessor: ItemID?) throws -> Int {
            let written = try #require(order.placing(id, after: predecessor))
            for (id, key) in written { keys[id] = key }
            return written.count
        }
    }

    @Test("An item is where it was placed, and the others keep their order", arguments: 0..<100 as Range<UInt64>)
    func placing(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        // Some with equal keys, some with none.
        let few = IndexKey.spread(4)
        var shelf = Shelf((0..<8).map { _ in Bool.random(using: &random) ? few.randomElement(using: &random) : nil })
        for _ in 0..<20 {
            let id = Self.id(.random(in: 0..<8, using: &random))
            var expected = shelf.ids.filter { $0 != id }
            let index = Int.random(in: 0...expected.count, using: &random)
            _ = try shelf.place(id, after: index > 0 ? expected[index - 1] : nil)
            expected.insert(id, at: index)
            #expect(shelf.ids == expected)
        }
    }

    @Test("Between neighbours with different keys, one key is written")
    func oneKey() throws {
        var shelf = Shelf(IndexKey.spread(100))
        #expect(try shelf.place(Self.id(99), after: Self.id(4)) == 1)
        #expect(try shelf.place(Self.id(50), after: nil) == 1)
        #expect(try shelf.place(Self.id(0), after: Self.id(98)) == 1)
    }

    @Test("A new item gets its place in the same way as a moved one")
    func newcomer() throws {
        var shelf = Shelf(IndexKey.spread(3))
        #expect(try shelf.place(Self.id(7), after: Self.id(1)) == 1)
        #expect(shelf.ids == [0, 1, 7, 2].map(Self.id))
        var empty = Shelf([])
        #expect(try empty.place(Self.id(7), after: nil) == 1)
    }

    @Test(
        "If equal keys leave no room, as few items as possible get new keys",
        arguments: 0..<200 as Range<UInt64>)
    func fewestKeys(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let few = IndexKey.spread(.random(in: 1...12, using: &random))
        let count = Int.random(in: 2...30, using: &random)
        var shelf = Shelf(
            (0..<count).map { _ in
                Int.random(in: 0..<10, using: &random) == 0 ? nil : few.randomElement(using: &random)
            })
        let id = Self.id(.random(in: 0..<count, using: &random))
        var expected = shelf.ids.filter { $0 != id }
        let index = Int.random(in: 0...expected.count, using: &random)
        let before = shelf
        let written = try #require(shelf.order.placing(id, after: index > 0 ? expected[index - 1] : nil))
        _ = try shelf.place(id, after: index > 0 ? expected[index - 1] : nil)
        expected.insert(id, at: index)
        #expect(shelf.ids == expected)
        let keys = expected.map { $0 == id ? nil : before.keys[$0] ?? nil }
        #expect(written.count <= Self.fewest(around: index, in: keys))
        #expect(expected.allSatisfy { id in written.contains { $0.0 == id } || shelf.keys[id] == before.keys[id] })
    }

    /// The length of the shortest run around `index` that stands between two different keys: all runs, tried out.
    private static func fewest(around index: Int, in keys: [IndexKey?]) -> Int {
        (0...index).flatMap { low in (index..<keys.count).map { low...$0 } }.filter { run in
            let left = run.lowerBound > 0 ? keys[run.lowerBound - 1] : nil
            let right = run.upperBound + 1 < keys.count ? keys[run.upperBound + 1] : nil
            if run.lowerBound > 0 && left == nil { return false }
            guard let left, let right else { return true }
            return left < right
        }.map(\.count).min() ?? 0
    }

    @Test("If keys are too long, only those nearby get new keys, with room for many moves")
    func grownKeys() throws {
        var shelf = Shelf(IndexKey.spread(100))
        var (left, right) = (Self.id(49), Self.id(50))
        var (most, all) = (0, 0)
        for round in 0..<300 {
            // Each new one between the last two.
            let new = Self.id(10_000 + round)
            let written = try shelf.place(new, after: left)
            (most, all) = (max(most, written), all + written)
            if round.isMultiple(of: 2) { left = new } else { right = new }
        }
        #expect(shelf.keys.values.allSatisfy { ($0?.text.utf8.count ?? .max) <= Limits.indexKey })
        let ids = shelf.ids
        #expect(try #require(ids.firstIndex(of: left)) + 1 == ids.firstIndex(of: right))
        #expect(ids.filter { $0 < Self.id(10_000) } == (0..<100).map(Self.id))
        #expect(most <= 150, "\(most) keys for one move")
        #expect(all <= 3 * 300, "\(all) keys for 300 moves")
    }

    @Test("Equal keys are ordered by id, and an item moved between them separates them")
    func equalKeys() throws {
        var shelf = Shelf([.first, .first, .first])
        #expect(shelf.ids == [0, 1, 2].map(Self.id))
        _ = try shelf.place(Self.id(2), after: Self.id(0))
        #expect(shelf.ids == [0, 2, 1].map(Self.id))
        #expect(Set(shelf.keys.values).count == 3)
    }

    @Test("Entries without a key come last, by id")
    func withoutKey() {
        #expect(Shelf([nil, .first, nil, IndexKey("Zz")]).ids == [3, 1, 0, 2].map(Self.id))
    }

    @Test("An item cannot be placed after a missing item or after itself")
    func noPlace() {
        let order = Shelf(IndexKey.spread(3)).order
        #expect(order.placing(Self.id(0), after: Self.id(9)) == nil)
        #expect(order.placing(Self.id(0), after: Self.id(0)) == nil)
    }

    @Test("Trap: Keys that grow without end: at their limit the list is spread again and short again")
    func spreadAnew() throws {
        var shelf = Shelf(IndexKey.spread(3))
        var spreads = 0
        for round in 0..<1_000 {
            // Always between the last two that were placed: the worst that can be done to keys.
            let ids = shelf.ids
            let isEven = round.isMultiple(of: 2)
            let written = try shelf.place(isEven ? ids[0] : ids[2], after: isEven ? ids[1] : ids[0])
            #expect(shelf.ids == (isEven ? [ids[1], ids[0], ids[2]] : [ids[0], ids[2], ids[1]]))
            if written > 1 {
                spreads += 1
                #expect(shelf.keys.values.compactMap { $0?.text.utf8.count }.max() == 2)
            }
            #expect(shelf.keys.values.allSatisfy { ($0?.text.utf8.count ?? .max) <= Limits.indexKey })
        }
        #expect(spreads > 0)
        #expect(spreads <= 1_000 / 120, "Each spread is good for 120 of the worst moves, and more of all others.")
    }
}
