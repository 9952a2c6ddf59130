import Foundation
import KithModel
import Testing

@Suite("Mutations") struct MutationTests {
    private static func mutation(_ change: Mutation.Change, seen: Int64 = 3) -> Mutation {
        Mutation(
            id: MutationID(uuid(9)), number: 12, feed: FeedID(uuid(2)), collection: .items, record: RecordID(uuid(1)),
            seen: seen, age: 250, change: change)
    }

    static let samples: [Mutation] = {
        var grouped = mutation(.delete)
        grouped.group = 11
        var aged = mutation(.set(["title": "Tea", "comment": .null]))
        aged.ages = ["comment": 900]
        return [
            grouped, aged, mutation(.edit(set: [:], add: ["count": -2])), mutation(.edit(set: [:], add: [:])),
            mutation(.edit(set: ["ticked": true, "new": ["a": [1, 2.5, .null]]], add: ["count": 1])),
        ]
    }()

    @Test("Is the same after encoding and decoding", arguments: samples)
    func roundTrip(mutation: Mutation) throws {
        #expect(try JSONDecoder().decode(Mutation.self, from: JSONEncoder().encode(mutation)) == mutation)
    }

    @Test(
        "A mutation without a change, or with an edit and a deletion, cannot be read",
        arguments: ["", #","delete":false"#, #","delete":true,"set":{}"#, #","delete":true,"add":{"count":1}"#])
    func malformed(rest: String) {
        let json = """
            {"id":"\(uuid(9).text)","number":1,"feed":"\(uuid(2).text)","collection":"item",
            "record":"\(uuid(1).text)","seen":0,"age":0\(rest)}
            """
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Mutation.self, from: Data(json.utf8)) }
    }

    @Test("Its canonical form contains everything except its ages")
    func canonical() {
        var again = Self.samples[1]
        again.age = 99_000
        again.ages = [:]
        #expect(again.canonical == Self.samples[1].canonical)
        #expect(
            again.canonical == """
                {"add":{},"collection":"item","feed":"\(uuid(2).text)","id":"\(uuid(9).text)","number":12,\
                "record":"\(uuid(1).text)","seen":3,"set":{"comment":null,"title":"Tea"}}
                """)
    }

    @Test("The canonical form of a deletion contains the deletion and its group")
    func canonicalDeletion() {
        #expect(
            Self.samples[0].canonical == """
                {"collection":"item","delete":true,"feed":"\(uuid(2).text)","group":11,"id":"\(uuid(9).text)",\
                "number":12,"record":"\(uuid(1).text)","seen":3}
                """)
    }

    @Test("Empty properties are not encoded")
    func emptyParts() throws {
        func keys(_ change: Mutation.Change) throws -> Set<String> {
            let data = try JSONEncoder().encode(Self.mutation(change))
            return Set(try JSONDecoder().decode(Fields.self, from: data).keys)
        }
        let always: Set = ["id", "number", "feed", "collection", "record", "seen", "age"]
        #expect(try keys(.set(["title": "Tea"])) == always.union(["set"]))
        #expect(try keys(.edit(set: [:], add: ["count": 1])) == always.union(["add"]))
        #expect(try keys(.edit(set: ["title": "Tea"], add: ["count": 1])) == always.union(["set", "add"]))
        #expect(try keys(.edit(set: [:], add: [:])) == always.union(["set"]))
        #expect(try keys(.delete) == always.union(["delete"]))
    }

    @Test("Without a schema, an addition to an unset field starts at 0")
    func additionWithoutSchema() {
        let change = Mutation.Change.edit(set: [:], add: ["newer": 7])
        #expect(change.applied(to: [:], of: nil) == ["newer": 7])
    }

    @Test("An edit of an unset field wins, regardless of its age")
    func unwritten() {
        let unwritten = RecordState.unwritten
        #expect(unwritten.stamp(of: "title") == nil)
        #expect(unwritten.fields.isEmpty && unwritten.sequence == 0 && !unwritten.isDeleted)
        // It is stored so, and read by every later version.
        let never = Timestamp(milliseconds: 0)
        #expect(unwritten.modified == never)
        #expect(unwritten.stamps == Stamps(common: Stamp(time: never, sequence: 0, device: 0)))
    }

    @Test("Mutations that differ in anything else differ in canonical form")
    func canonicalTellsApart() {
        var variants = Self.samples
        for change: (inout Mutation) -> Void in [
            { $0.number += 1 }, { $0.group = 3 }, { $0.change = .delete }, { $0.change = .set(["title": "Tea"]) },
            { $0.change = .set(["title": "Te\u{301}"]) }, { $0.change = .set(["title": "T\u{E9}"]) },
        ] {
            var variant = Self.samples[1]
            change(&variant)
            variants.append(variant)
        }
        variants.append(Self.mutation(.set(["title": "Tea", "comment": .null]), seen: 4))
        #expect(Set(variants.map { Array($0.canonical.utf8) }).count == variants.count)
    }

    @Test("Law: Two folded edits have the same effect as both in sequence", arguments: 0..<300 as Range<UInt64>)
    func folding(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (first, second) = (Self.edit(&random), Self.edit(&random))
        let folded = first.followed(by: second)
        for record in [[:], ["count": 4, "title": "Milk"]] as [Fields] {
            let apart = second.applied(to: first.applied(to: record, of: ListItem.schema) ?? [:], of: ListItem.schema)
            #expect(folded.applied(to: record, of: ListItem.schema) == apart)
        }
        // What the rules let through apart they let through together.
        let rights = Rights(role: .editor)
        #expect(FieldRules.fault(in: folded, to: ListItem.schema, creating: false, by: rights) == nil)
    }

    private static func edit(_ random: inout SplitMix64) -> Mutation.Change {
        var set: Fields = [:]
        var add: [String: Int64] = [:]
        if Bool.random(using: &random) { set["title"] = .text("\(Int.random(in: 0..<3, using: &random))") }
        if Bool.random(using: &random) { set["count"] = .integer(.random(in: 1...9_999, using: &random)) }
        if Bool.random(using: &random) || set.isEmpty { add["count"] = .random(in: -9_999...9_999, using: &random) }
        return .edit(set: set, add: add)
    }

    @Test("Folding a set and an addition keeps the addition even if a later edit overrides the set")
    func foldedAdditionSurvives() {
        let folded = Mutation.Change.set(["count": 5]).followed(by: .edit(set: [:], add: ["count": 2]))
        var item = LoneItem.existing()
        item.take(.set(["count": 100]), device: 2, at: LoneItem.made + 5_000)
        item.take(folded, device: 3, age: 4_000, at: LoneItem.made + 6_000)
        #expect(item["count"] == 102)
    }

    @Test("Folding with a deletion gives the deletion")
    func foldedDeletion() {
        #expect(Mutation.Change.set(["title": "Tea"]).followed(by: .delete) == .delete)
    }

    @Test("Lists each touched field once, in order")
    func touched() {
        #expect(
            Mutation.Change.edit(set: ["title": "Tea", "count": 5], add: ["count": 1]).touched == ["count", "title"])
        #expect(Mutation.Change.delete.touched.isEmpty)
    }

    @Test("A field's stamp that equals the common one is not stored")
    func commonStamp() {
        let common = Stamp(time: Timestamp(milliseconds: 5), sequence: 1, device: 7)
        var stamps = Stamps(common: common)
        stamps["title"] = Stamp(time: Timestamp(milliseconds: 6), sequence: 2, device: 8)
        stamps["title"] = common
        #expect(stamps == Stamps(common: common))
    }
}
