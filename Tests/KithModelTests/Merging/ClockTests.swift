import KithModel
import Testing

@Suite("Ages and clocks") struct ClockTests {
    private static let day: Int64 = 86_400_000

    /// One edit of a title that another device wrote 5,000 ms after the item was made, and what stamp it gets.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var age: Int64
        var seen: Int64
        var device: Int64
        /// In milliseconds since the item was made; nil if the edit is overtaken.
        var stamp: Int64?
    }

    @Test(
        "An edit's stamp is its arrival minus its age, within bounds",
        arguments: [
            Case(testDescription: "just made", age: 0, seen: 1, device: 3, stamp: 9_000),
            Case(testDescription: "made a while ago", age: 3_999, seen: 1, device: 3, stamp: 5_001),
            Case(testDescription: "at the same moment", age: 4_000, seen: 1, device: 3, stamp: 5_000),
            Case(testDescription: "before the other", age: 4_001, seen: 1, device: 3, stamp: nil),
            Case(testDescription: "says before, but had seen the other", age: 4_001, seen: 2, device: 3, stamp: 5_000),
            Case(
                testDescription: "says before, but is by the same device", age: 4_001, seen: 1, device: 2, stamp: 5_000),
            Case(testDescription: "says that it comes from the future", age: -7_000, seen: 1, device: 3, stamp: 9_000),
            Case(testDescription: "says the far future", age: .min, seen: 1, device: 3, stamp: 9_000),
            Case(testDescription: "says the far past", age: .max, seen: 1, device: 3, stamp: nil),
            Case(testDescription: "says the far past, having seen", age: .max, seen: 2, device: 3, stamp: 5_000),
        ])
    func stamps(edit: Case) {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made + 5_000)
        item.take(
            .set(["title": "Coffee"]), device: edit.device, seen: edit.seen, age: edit.age, at: LoneItem.made + 9_000)
        #expect(item["title"] == (edit.stamp == nil ? "Tea" : "Coffee"))
        #expect(item.stamp("title") == edit.stamp ?? 5_000)
    }

    @Test("What was seen matters only to a condition, and to an edit that says that it is older than another's value")
    func dependence() throws {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made + 5_000)
        let record = try #require(item.record)
        for (age, seen, device, depends) in [
            (4_001, 1, 3, true), (4_000, 1, 3, false), (4_001, 0, 3, false), (4_001, 1, 2, false),
        ] as [(Int64, Int64, Int64, Bool)] {
            let arrival = Stamp(
                time: Timestamp(milliseconds: LoneItem.made + 9_000), sequence: 3, device: device)
            func mutation(_ change: Mutation.Change) -> Mutation {
                Mutation(
                    id: MutationID(uuid(99)), number: 9, feed: LoneItem.feed, collection: .items, record: LoneItem.id,
                    seen: seen, age: age, change: change)
            }
            #expect(Merge.dependsOnSeen(mutation(.set(["title": "Coffee"])), on: record, at: arrival) == depends)
            let condition = mutation(.edit(set: ["count": 1], add: ["count": 0]))
            #expect(Merge.dependsOnSeen(condition, on: record, at: arrival) == (seen > 0))
            for change in [.set(["comment": "black"]), .edit(set: [:], add: ["count": 1]), .delete]
                as [Mutation.Change]
            {
                #expect(!Merge.dependsOnSeen(mutation(change), on: record, at: arrival))
            }
        }
    }

    @Test("What was seen before a restore says only that the device knew the values of the record's creation")
    func seenBeforeRestore() throws {
        var item = LoneItem.existing()
        item.take(.set(["comment": "green"]), device: 2, at: LoneItem.made + 5_000)
        var edit = Mutation(
            id: MutationID(uuid(99)), number: 9, feed: LoneItem.feed, collection: .items, record: LoneItem.id,
            seen: 70, age: 99_000, change: .set(["title": "Coffee", "comment": "black"]))
        let record = try #require(item.record)
        let arrival = Stamp(time: Timestamp(milliseconds: LoneItem.made + 9_000), sequence: 3, device: 3)
        let judged = Merge.seenBeforeRestore(edit, on: record)
        #expect(judged.seen == 1)
        guard case .applied(let state) = Merge.outcome(of: judged, on: record, at: arrival, by: ListItem.schema) else {
            Issue.record("The title is not taken.")
            return
        }
        #expect(state.fields["title"] == "Coffee" && state.fields["comment"] == "green")
        edit.seen = 0
        #expect(Merge.seenBeforeRestore(edit, on: record) == edit)
    }

    @Test("A stamp is never after its arrival, even where the clock of the server stepped back")
    func neverAfterArrival() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made - 500)
        // It had seen the older stamp of +0, which is after this arrival.
        #expect(item["title"] == "Milk")
        item.take(.set(["title": "Tea"]), device: 2, at: LoneItem.made)
        #expect(item.stamp("title") == 0)
        #expect(item["title"] == "Tea")
    }

    @Test("A field that was edited at another time has its own age")
    func agesByField() {
        var item = LoneItem.existing()
        item.take(.set(["title": "Tea", "comment": "green"]), device: 2, at: LoneItem.made + 5_000)
        item.take(
            .set(["title": "Coffee", "comment": "black"]), device: 3, age: 100, ages: ["comment": 7_000],
            at: LoneItem.made + 9_000)
        #expect(item["title"] == "Coffee")
        #expect(item["comment"] == "green")
        #expect(item.stamp("title") == 8_900)
    }

    @Test("A new record's fields are stamped with their own ages")
    func agesOfNewRecord() {
        var item = LoneItem()
        item.take(
            .set(LoneItem.draft.merging(["comment": "green"]) { $1 }), device: 7, seen: 0, age: 100,
            ages: ["title": 4_000], at: LoneItem.made)
        #expect(item.record?.stamps["title"].sequence == 1)
        #expect(item.record?.stamps["title"].device == 7)
        #expect(["title", "comment", "position"].map(item.stamp) == [-4_000, -100, -100])
    }

    @Test("Trap: A stale edit from a week on a mountain undoes yesterday's")
    func mountain() {
        var item = LoneItem.existing()
        let now = LoneItem.made + 30 * Self.day
        item.take(.set(["title": "Tea"]), device: 2, at: now - Self.day)
        #expect(item.take(.set(["title": "Coffee"]), device: 3, age: 7 * Self.day, at: now) == .superseded)
        #expect(item["title"] == "Tea")
    }

    @Test("Trap: A wrong device clock makes one device always win", arguments: [.min, -1, -366 * day, 0] as [Int64])
    func clockAhead(age: Int64) {
        var item = LoneItem.existing()
        item.take(.set(["title": "ahead"]), device: 2, age: age, at: LoneItem.made + 1_000)
        // The very next edit of anyone else, a moment later, wins.
        item.take(.set(["title": "right"]), device: 3, age: 0, at: LoneItem.made + 1_001)
        #expect(item["title"] == "right")
    }

    @Test("Trap: A wrong device clock makes one device always lose")
    func clockBehind() {
        var item = LoneItem.existing()
        for round in 1...5 as ClosedRange<Int64> {
            item.take(.set(["title": "others'"]), device: 3, seen: .max, at: LoneItem.made + 1_000 * round)
            let seen = item.record?.sequence ?? 0
            item.take(
                .set(["title": "behind"]), device: 2, seen: seen, age: .max, at: LoneItem.made + 1_000 * round + 500)
            #expect(item["title"] == "behind", "It had seen what it overwrote.")
        }
    }

    @Test("Trap: Dates of one-second resolution lose the second edit of a second")
    func sameMillisecond() {
        var item = LoneItem.existing()
        for title in ["T", "Te", "Tea"] {
            item.take(.set(["title": .text(title)]), device: 2, at: LoneItem.made + 1_000)
        }
        #expect(item["title"] == "Tea")
    }

    @Test(
        "Law: Whatever the clocks say, a stamp lies between what was known and its arrival",
        arguments: 0..<200 as Range<UInt64>)
    func bounds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var item = LoneItem.existing()
        var time = LoneItem.made
        for step in 0..<30 {
            time += .random(in: 0...2_000, using: &random)
            let before = item.record
            let old = before?.stamps["title"]
            let device = Int64.random(in: 1...3, using: &random)
            let seen = Int64.random(in: 0...(before?.sequence ?? 0), using: &random)
            let age = [Int64.random(in: 0...5_000, using: &random), 0, .max, .min, -3_000].randomElement(using: &random)
            let outcome = item.take(
                .set(["title": .text("\(step)")]), device: device, seen: seen, age: age ?? 0, at: time)
            let stamp = item.record?.stamps["title"]
            #expect((stamp?.time ?? .init(milliseconds: 0)) >= (old?.time ?? .init(milliseconds: 0)))
            #expect((stamp?.time.milliseconds ?? .max) <= time)
            // Who knew what was there always gets its way.
            if let old, old.sequence <= seen || old.device == device { #expect(outcome != .superseded) }
            #expect((item["title"] == .text("\(step)")) == (outcome != .superseded))
        }
    }
}
