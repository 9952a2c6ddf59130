import KithModel
import KithServer
import Testing

@Suite("Fields that newer versions have given a record") struct NewerFieldTests {
    let town: Town
    var ada: Phone
    let list: FeedID

    init() throws { (town, ada, list) = try Town.withList() }

    @Test("fields of newer versions are kept") mutating func unknownFields() throws {
        let item: RecordID<Never> = town.id()
        let colour: Mutation.Change = .set(["title": "Tea", "position": "a0", "colour": .object(["hue": .number(0.5)])])
        #expect(try ada.outcomes(ada.mutation(list, .items, item, colour)) == ["applied"])
        #expect(ada.fields(list, item)?["colour"] == .object(["hue": .number(0.5)]))
    }

    @Test("Law 12: A field of a newer version is carried with a NUL character, which a known field cannot have")
    mutating func nul() throws {
        let item: RecordID<Never> = town.id()
        #expect(try ada.outcomes(ada.item(item, in: list)) == ["applied"])
        let text: FieldValue = "a\0b"
        #expect(
            try ada.outcomes(
                ada.mutation(list, .items, item, .set(["zz": text])),
                ada.mutation(list, .items, item, .set(["title": text]))) == ["applied", "invalid"])
        var other = Phone(town, account: ada.account)
        try other.sync()
        #expect(other.fields(list, item)?["zz"] == text && other.fields(list, item)?["title"] == "Tea")
    }

    @Test("Law 10: The number of fields of newer versions in a record is limited, over any number of mutations")
    mutating func manyUnknownFields() throws {
        let item: RecordID<Never> = town.id()
        func names(_ range: Range<Int>) -> [String] { range.map { "future\($0)" } }
        func set(_ names: [String], _ value: FieldValue) -> Mutation {
            ada.mutation(list, .items, item, .set(Dictionary(uniqueKeysWithValues: names.map { ($0, value) })))
        }
        try ada.sync(ada.item(item, in: list))
        let answer = try ada.sync(set(names(0..<32), 1), set(names(32..<64), 1), set(names(64..<65), 1)).answer
        #expect(answer.outcomes.map(\.code) == [.invalid])
        #expect(answer.outcomes.first?.detail?.contains("\(Limits.carriedFields)") == true)
        // What is there can be changed and removed; removing does not make room, for its time is remembered.
        #expect(
            try ada.outcomes(
                set(names(0..<32), "other"), set(names(0..<2), .null), set(names(64..<66), 1),
                set(names(64..<66), .null),
                set(names(0..<2), 3), ada.mutation(list, .items, item, .set(["ticked": true]))
            ) == ["applied", "applied", "invalid", "invalid", "applied", "applied"])
        let state = try #require(try town.record(list, item)).state
        #expect(state.fields.keys.filter { $0.hasPrefix("future") }.count == Limits.carriedFields)
        #expect(state.stamps.own.keys.filter { $0.hasPrefix("future") }.count <= Limits.carriedFields)
    }

    @Test("fields of newer versions together have a limited number of bytes") mutating func largeUnknownFields() throws
    {
        let item: RecordID<Never> = town.id()
        let large = FieldValue.text(String(repeating: "x", count: 4_000))
        func set(_ name: String, _ value: FieldValue) -> Mutation {
            ada.mutation(list, .items, item, .set([name: value]))
        }
        try ada.sync(ada.item(item, in: list))
        for number in 0..<8 { #expect(try ada.outcomes(set("future\(number)", large)) == ["applied"]) }
        #expect(
            try ada.outcomes(
                set("future8", large), set("future0", .null), set("future8", large), set("future1", "small"),
                ada.mutation(list, .items, item, .set(["ticked": true]))
            ) == ["invalid", "applied", "applied", "applied", "applied"])
        // A new record is held to the same.
        let many = Dictionary(uniqueKeysWithValues: (0..<9).map { ("future\($0)", large) })
        let whole = many.merging(["title": "Tea", "position": "a0"]) { $1 }
        #expect(try ada.outcomes(ada.mutation(list, .items, town.id(), .set(whole))) == ["invalid"])
    }

    @Test("fields of newer versions may use exactly their limit of bytes")
    mutating func lastUnknownByte() throws {
        let item: RecordID<Never> = town.id()
        var fields: Fields = [:]
        for number in 0..<8 { fields["future\(number)"] = .text(String(repeating: "x", count: 4_000)) }
        fields["last"] = ""
        let left = Limits.carriedBytes - CanonicalForm.text(fields).utf8.count
        func edit(_ count: Int) -> Mutation {
            let last = ["last": FieldValue.text(String(repeating: "y", count: count))]
            return ada.mutation(list, .items, item, .set(fields.merging(last) { $1 }))
        }
        try ada.sync(ada.item(item, in: list))
        #expect(try ada.outcomes(edit(left + 1), edit(left)) == ["invalid", "applied"])
    }
}
