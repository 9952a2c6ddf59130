import KithModel
import KithServer
import Testing

@Suite("The room for bytes in an answer") struct RoomTests {
    let town: Town
    var ada: Phone
    /// Ada's second device, which has read everything.
    var tablet: Phone
    let list: FeedID

    init() throws {
        (town, ada, list) = try Town.withList()
        tablet = Phone(town, account: ada.account)
        try tablet.sync()
    }

    /// How many bytes the fields of a record take.
    private func bytes(_ feed: FeedID, _ id: RecordID<Never>) throws -> Int {
        CanonicalForm.text(try #require(try town.record(feed, id)).state.fields).utf8.count
    }

    private func items(_ titles: String...) -> [Mutation] { titles.map { ada.item(town.id(), $0, in: list) } }

    @Test("a feed's changes end with the record that fills it", arguments: [2, 1_000])
    mutating func changes(page: Int) throws {
        let items = items("Tea", "Coffee", "Hot chocolate")
        try ada.sync(items)
        let sizes = try items.map { try bytes(list, $0.record) }
        let request = tablet.request([])
        for (room, count) in [(1, 1), (sizes[0], 1), (sizes[0] + 1, 2), (sizes[0] + sizes[1], 2)] {
            let answer = try tablet.send(request, page: page, bytes: room).answer
            #expect(answer.feeds.map(\.changes.count) == [count], "\(room)")
            #expect(answer.feeds.map(\.isComplete) == [false] && answer.more)
        }
        let all = try tablet.send(request, bytes: sizes.reduce(0, +)).answer
        #expect(all.feeds.map(\.isComplete) == [true] && !all.more, "The last record may fill it.")
    }

    @Test("a fresh device's pages end with the record that fills it") mutating func pages() throws {
        try ada.sync(items("Tea", "Coffee"))
        var fresh = Phone(town, account: ada.account)
        let home = try bytes(ada.home, list.retyped())
        let answer = try fresh.send(fresh.request([]), bytes: home).answer
        #expect(answer.feeds.map(\.feed) == [ada.home] && answer.more)
        let next = try fresh.send(fresh.request([]), bytes: home + 1).answer
        #expect(next.feeds.map(\.feed) == [ada.home, list] && next.more)
        #expect(next.feeds.last?.page?.columns.map(\.count) == [1])
        fresh.apply(next)
        try fresh.sync()
        #expect(fresh.replica == ada.replica)
    }

    @Test("if changes fill the answer, new lists follow in the next one") mutating func changesBeforePages() throws {
        let (new, items): (FeedID, [Mutation]) = (town.id(), items("Tea"))
        try ada.sync([ada.create(new)] + items)
        let room = try bytes(ada.home, new.retyped()) + bytes(list, items[0].record)
        let answer = try tablet.send(tablet.request([]), bytes: room).answer
        #expect(answer.feeds.map(\.feed) == [ada.home, list] && answer.more)
        #expect(answer.feeds.map(\.isComplete) == [true, true])
        let next = try tablet.send(tablet.request([]), bytes: room + 1).answer
        #expect(next.feeds.map(\.feed) == [ada.home, list, new] && next.more)
        tablet.apply(answer)
        try tablet.sync()
        #expect(tablet.replica == ada.replica)
    }

    @Test("is reduced exactly by the records of the request's mutations") mutating func named() throws {
        let old = items("Tea")
        try ada.sync(old)
        try tablet.sync()
        let new = items("Coffee", "Hot chocolate", "Milk")
        try ada.sync(new)
        let taken = try bytes(list, old[0].record)
        let first = try bytes(list, new[0].record)
        let request = tablet.request([tablet.mutation(list, .items, old[0].record, .set(["title": ""]))])
        for (room, count) in [(1, 1), (taken, 1), (taken + first, 1), (taken + first + 1, 2)] {
            let answer = try tablet.send(request, bytes: room).answer
            #expect(answer.records.count == 1)
            #expect(answer.feeds.map(\.changes.count) == [count], "\(room)")
        }
    }

    @Test("a feed with exactly the maximum number of records is complete in one answer") mutating func exactPage()
        throws
    {
        let item = items("Tea")[0]
        try ada.sync(item)
        try tablet.sync()
        for _ in 0..<10 {
            try ada.sync(ada.mutation(list, .items, item.record, .edit(set: [:], add: ["count": 1])))
        }
        let answer = try tablet.send(tablet.request([]), page: 1).answer
        #expect(answer.feeds.map(\.changes.count) == [1])
        #expect(answer.feeds.map(\.isComplete) == [true] && !answer.more)
    }
}
