import Testing
import TextEncodings

@Suite("The rule for combining marks in a row") struct StreamSafeTextTests {
    private static let most = StreamSafeText.most

    private func excess(inJSON json: String) -> Int? {
        Array(json.utf8).withUnsafeBytes { StreamSafeText.excess(inJSON: $0) }
    }

    @Test("The limit is beyond the 30 marks of UAX #15") func limit() { #expect(Self.most >= 30) }

    @Test("Every mark of Unicode counts, in any plane, and no letter does")
    func marks() {
        for value in 0x80..<0x1_1000 as Range<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            // These decompose into two marks each.
            let isPair = [0xF73, 0xF75, 0xF81].contains(value)
            let text = "e" + String(repeating: Character(scalar), count: Self.most + 1)
            #expect(StreamSafeText.accepts(text) == !(isMark || isPair), "\(value)")
        }
        #expect(!StreamSafeText.accepts(String(repeating: "\u{1D165}", count: Self.most + 1)))
    }

    @Test("Only the marks of one run count")
    func runs() {
        let run = String(repeating: "\u{301}", count: Self.most)
        #expect(StreamSafeText.accepts("") && StreamSafeText.accepts(run) && StreamSafeText.accepts("\(run)e\(run)"))
        #expect(!StreamSafeText.accepts(run + "\u{327}") && !StreamSafeText.accepts("e\(run)e\(run)\u{327}e"))
        #expect(StreamSafeText.accepts(String(repeating: "e", count: 100_000)))
    }

    @Test("A clamped text has the first marks of each run and everything else")
    func clamped() {
        let run = String(repeating: "\u{301}", count: Self.most)
        #expect(StreamSafeText.clamped("a\(run)b").utf8.elementsEqual("a\(run)b".utf8))
        let long = "a\(run)\u{327}\u{327}b\(run)\u{327}\n"
        #expect(StreamSafeText.clamped(long).utf8.elementsEqual("a\(run)b\(run)\n".utf8))
    }

    @Test(
        "A mark in JSON counts as itself and as an escape",
        arguments: ["\u{301}", #"\u0301"#, "\u{1D165}", #"\uD834\uDD65"#, #"\ud834\udd65"#, "\u{F73}", #"\u0F73"#])
    func json(mark: String) {
        let run = String(repeating: mark, count: Self.most)
        #expect(excess(inJSON: #"{"e\#(run)":["e\#(run)"],"\#(run)":1}"#) == nil)
        let start = #"{"e":"#
        for other in ["\u{327}", #"\u0327"#] {
            #expect(excess(inJSON: start + #""\#(run)\#(other)"}"#) == start.utf8.count + 1 + run.utf8.count)
        }
    }

    @Test(
        "Other escapes of JSON are no marks",
        arguments: [
            #"\\u0301"#, #"\n\u0301"#, #"\"\u0301"#, #"\u0065\u0301"#, #"\uD834\u0301"#, #"\uDD65"#, #"\u030"#,
            "\u{E9}\u{6F22}\u{1F600}", "\u{E9}", #"\u00e9"#,
        ])
    func others(part: String) {
        #expect(excess(inJSON: "\"" + String(repeating: part, count: 3 * Self.most) + "\"") == nil)
    }

    @Test(
        "JSON that ends early is read to its end", arguments: ["", #"\"#, #"\u"#, #"\u03"#, #"\uD834\u"#, #"\uD834"#])
    func truncated(end: String) {
        #expect(excess(inJSON: end) == nil)
        #expect(excess(inJSON: "\"" + String(repeating: "\u{6F22}", count: Self.most) + end) == nil)
    }

    @Test("Any bytes are read, also if they are no UTF-8", arguments: [1, 7, 8, 9, 1_000])
    func anyBytes(count: Int) {
        for byte in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: byte, count: count)
            let excess = bytes.withUnsafeBytes { StreamSafeText.excess(inJSON: $0) }
            #expect(excess == nil || (0..<count).contains(excess ?? 0))
        }
    }
}
