import KithModel
import KithServer
import Testing

@Suite("Fields that are set in stored text") struct FieldReplacementTests {
    @Test("The text is that of the decoded fields with the new ones", arguments: 0..<500 as Range<UInt64>)
    func same(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let odd = seed.isMultiple(of: 4) ? ["c\"", "\\", "\u{1}b"] : []
        let old = Self.fields(["", "a", "b", "bb", "c", "pictureLarge", "z"] + odd, &dice)
        var new = Self.fields(["a", "b", "ba", "c", "pictureSmall", "y", "zz"], &dice)
        for name in new.keys where Bool.random(using: &dice) { new[name] = .null }
        var expected = old
        for (name, value) in new { expected[name] = value == .null ? nil : value }
        let text = try FieldReplacement(new).applied(to: StoredText.text(old))
        if expected == old {
            #expect(text == nil)
        } else {
            #expect(text.map { Array($0.utf8) } == Array(StoredText.text(expected).utf8))
        }
        // What a record has already changes nothing.
        #expect(try FieldReplacement(new).applied(to: StoredText.text(expected)) == nil)
    }

    private static func fields(_ names: [String], _ dice: inout SplitMix64) -> Fields {
        var fields: Fields = [:]
        let values: [FieldValue] = [
            1, true, "", "tea", #"","a":1"#, "é\n", .number(1.5), .array([1, "}"]), .object(["a": 2]),
        ]
        for name in names where Bool.random(using: &dice) { fields[name] = values.randomElement(using: &dice) }
        return fields
    }

    @Test("An empty record gets the fields, and can lose all") func empty() throws {
        #expect(try FieldReplacement(["b": 1, "a": "x"]).applied(to: "{}") == #"{"a":"x","b":1}"#)
        #expect(try FieldReplacement(["a": .null]).applied(to: #"{"a":"x"}"#) == "{}")
        #expect(try FieldReplacement([:]).applied(to: "{}") == nil)
    }

    @Test("A text whose members are in another order is decoded") func disorder() throws {
        #expect(try FieldReplacement(["b": 2]).applied(to: #"{"c":1,"a":1}"#) == #"{"a":1,"b":2,"c":1}"#)
        #expect(try FieldReplacement(["a": 1]).applied(to: #"{"c":1,"a":1}"#) == nil)
    }

    @Test("A text that is no object is an error", arguments: ["", "{", "[]", #"{"a"}"#, #"{"a":1"#])
    func garbage(text: String) {
        #expect(throws: ServerError.self) { try FieldReplacement(["b": 2]).applied(to: text) }
    }
}
