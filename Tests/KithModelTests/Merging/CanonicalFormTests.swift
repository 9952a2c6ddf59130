import Foundation
import KithModel
import Testing

@Suite("Canonical form") struct CanonicalFormTests {
    @Test(
        "Each value is written in one way",
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (0, "0"), (-42, "-42"),
            (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"),
            (2.5, "2.5"), (.number(-0.0), "0"), (.number(3), "3"), (.number(1e15), "1000000000000000"),
            (.number(-1e18), "-1000000000000000000"), (.number(1e300), "1e+300"), (.number(0.1), "0.1"),
            ("", #""""#), ("Milch & Käse 👍 / \u{7F}", "\"Milch & Käse 👍 / \u{7F}\""),
            ("\"\\\u{8}\u{C}\n\r\t\0\u{1F}", #""\"\\\b\f\n\r\t\u0000\u001f""#),
            ([], "[]"), ([1, "a", .null, []], #"[1,"a",null,[]]"#), ([:], "{}"),
            (["b": 1, "a": ["d": .null]], #"{"a":{"d":null},"b":1}"#),
        ] as [(FieldValue, String)])
    func writing(value: FieldValue, text: String) throws {
        #expect(CanonicalForm.text(value) == text)
        #expect(Array(CanonicalForm.text(value).utf8) == Array(text.utf8))
    }

    @Test("Keys are in the order of their UTF-8 bytes")
    func keys() {
        // By UTF-16 units, the emoji would stand before U+FFFD.
        let object: Fields = ["👍": 1, "\u{FFFD}": 2, "é": 3, "z": 4, "a": 5, "ab": 6, "B": 7, "": 8, "e\u{302}": 9]
        #expect(
            CanonicalForm.text(object)
                == "{\"\":8,\"B\":7,\"a\":5,\"ab\":6,\"e\u{302}\":9,\"z\":4,\"é\":3,\"\u{FFFD}\":2,\"👍\":1}")
    }

    @Test("Reading it gives the same value, and writing that gives the same bytes", arguments: 0..<300 as Range<UInt64>)
    func fixedPoint(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        // As it is once it has travelled: whole numbers are integers then.
        let value = try JSONDecoder().decode(
            FieldValue.self, from: JSONEncoder().encode(Self.value(depth: 3, &random)))
        let text = CanonicalForm.text(value)
        #expect(try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) == value)
        #expect(try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test(
        "Law: Equal values have equal bytes, different values have different bytes", arguments: 0..<300 as Range<UInt64>
    )
    func equality(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Few distinct values, so that equals meet.
        let (left, right) = (Self.small(&random), Self.small(&random))
        #expect((left == right) == (Array(CanonicalForm.text(left).utf8) == Array(CanonicalForm.text(right).utf8)))
        if left == right { #expect(left.hashValue == right.hashValue) }
    }

    @Test("A record's line omits null fields")
    func line() {
        let line = CanonicalForm.line(
            collection: .items, id: RecordID(uuid(1)), sequence: 7,
            modified: Timestamp(milliseconds: 1_700_000_000_123),
            fields: ["title": "Tea", "comment": .null])
        #expect(
            line == """
                {"collection":"item","fields":{"title":"Tea"},"id":"\(uuid(1).text)","modified":1700000000123,"sequence":7}
                """)
    }

    private static func small(_ random: inout SplitMix64) -> FieldValue {
        let leaves: [FieldValue] = [.null, 0, 1, true, "", "1", "\u{E9}", "e\u{301}"]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return .array(
                (0..<Int.random(in: 0...2, using: &random)).map { _ in leaves.randomElement(using: &random) ?? 0 })
        case 1: return ["a": leaves.randomElement(using: &random) ?? 0]
        default: return leaves.randomElement(using: &random) ?? 0
        }
    }

    private static func value(depth: Int, _ random: inout SplitMix64) -> FieldValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .flag(.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.5)
        case 4: return .number((Double.random(in: -1...1, using: &random) * 1e18).rounded())
        case 5: return .text(text(&random))
        case 6: return .array((0..<3).map { _ in value(depth: depth - 1, &random) })
        default:
            return .object(
                Fields((0..<3).map { _ in (text(&random), value(depth: depth - 1, &random)) }) { $1 })
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let alphabet = Array("aZ0 \"\\/\n\t\u{1}\u{1F}\u{7F}é\u{2028}😀\u{FFFD}".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text.append(alphabet.randomElement(using: &random) ?? "a")
        }
        return String(text)
    }
}
