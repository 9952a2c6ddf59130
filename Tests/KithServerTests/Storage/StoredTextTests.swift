import Foundation
import KithModel
import KithServer
import Testing

@Suite("Stored text") struct StoredTextTests {
    @Test("is read as it was written") func fieldsRoundTrip() throws {
        let fields: Fields = [
            "text": "Tea \"green\" \\ / ü 🛒 \n\r\t\u{8}\u{C}\u{1}", "empty": "", "flag": true, "other": false,
            "whole": .integer(.min), "fraction": .number(-1.5), "large": .number(1e300), "none": .null,
            "array": .array([1, "two", .array([]), .object([:])]), "object": .object(["a": .object(["b": 1])]),
        ]
        #expect(try StoredText.fields(StoredText.text(fields)) == fields)
        #expect(try StoredText.fields("{}") == [:])
    }

    @Test("is read as by JSON decoders", arguments: 0..<200 as Range<UInt64>)
    func agreesWithJSON(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let text = StoredText.text(Self.fields(depth: 3, &random))
        #expect(try StoredText.fields(text) == JSONDecoder().decode(Fields.self, from: Data(text.utf8)))
    }

    @Test("is read at the deepest nesting") func deepest() throws {
        var value = FieldValue.number(0.5)
        for level in 0..<Limits.nesting {
            value = level.isMultiple(of: 2) ? .array([value, 1]) : .object(["a": value])
        }
        #expect(try StoredText.fields(StoredText.text(["deep": value])) == ["deep": value])
    }

    @Test("keeps stamps unchanged") func stampsRoundTrip() throws {
        func stamp(_ number: Int64) -> Stamp {
            Stamp(time: Timestamp(milliseconds: number), sequence: number - 1, device: number - 2)
        }
        let stamps = Stamps(common: stamp(1), own: ["title": stamp(5), "count": stamp(.max)])
        #expect(try StoredText.stamps(StoredText.text(stamps)) == stamps)
    }

    @Test(
        "Trap: gives errors that are damage of the database, and quote nothing",
        arguments: [
            "", "{", "[]", "{\"a", "{\"a\"", "{\"a\"}", "{\"a\":", "{\"a\":1", "{\"a\":[1", "{\"a\":tru", "{\"a\":tru}",
            "{\"a\":true", "{\"a\":\"b", "{\"a\":\"\\", "{\"a\":\"\\n", "{\"a\":\"\\u00", "{\"a\":\"\\u0001",
            "{\"a\":1}x", "{\"a\":1e}", "\u{0}", "my diary",
        ])
    func garbage(text: String) {
        let errors = [
            #expect(throws: ServerError.self) { try StoredText.fields(text) },
            #expect(throws: ServerError.self) { try StoredText.stamps(text) },
        ]
        for error in errors {
            #expect(error?.code == .busy && (error?.cause as? any DatabaseFailure)?.kind == .damagedRecord)
            #expect(error?.description.contains("diary") == false)
        }
    }

    private static func fields(depth: Int, _ random: inout SplitMix64) -> Fields {
        var fields: Fields = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) { fields[text(&random)] = value(depth: depth, &random) }
        return fields
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let letters = Array("ab\"\\/\n\u{1}\u{1F}ü🛒")
        return String(
            (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    private static func value(depth: Int, _ random: inout SplitMix64) -> FieldValue {
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &random) {
        case 0: .null
        case 1: .flag(Bool.random(using: &random))
        case 2: .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: .number(Double(Int.random(in: -100...100, using: &random)) + 0.25)
        case 4: .text(text(&random))
        case 5: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1, &random) })
        default: .object(fields(depth: depth - 1, &random))
        }
    }
}
