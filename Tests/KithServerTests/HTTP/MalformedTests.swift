import Foundation
import KithModel
import KithServer
import Testing

@Suite("A malformed body is refused with the path and the cause of the fault") struct MalformedTests {
    private static let id = "01900000-0000-7000-8000-000000000001"

    /// What is said of a body, and where.
    private func fault<Value: Decodable>(_ body: String, as type: Value.Type) -> (path: String?, sentence: String)? {
        do throws(ServerError) {
            _ = try JSONBody.decode(type, from: Data(body.utf8))
            return nil
        } catch {
            #expect(error.code == .malformed)
            return (error.path, error.sentence)
        }
    }

    private func expect(
        _ body: String, as type: (some Decodable).Type, _ path: String, _ words: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        let told = fault(body, as: type)
        #expect(told?.path == path, "\(body)", sourceLocation: location)
        #expect(told?.sentence.contains(words) == true, "\(told?.sentence ?? "nothing")", sourceLocation: location)
    }

    /// A round with one of its values replaced, and a mutation of its own.
    private func round(sent: String = "1", reread: String = "null", mutation: String = "") -> String {
        #"{"account":"\#(Self.id)","device":"\#(Self.id)","acknowledged":{"number":0,"hash":""},"sent":\#(sent),"mutations":[\#(mutation)],"reread":\#(reread)}"#
    }

    private func mutation(age: String = "0", number: String = "1", feed: String = id, _ what: String) -> String {
        #"{"id":"\#(Self.id)","number":\#(number),"feed":"\#(feed)","collection":"item","record":"\#(Self.id)","seen":0,"age":\#(age),\#(what)}"#
    }

    @Test("The examples of this suite are well formed except for their fault") func baseline() {
        #expect(fault(round(mutation: mutation(#""set":{"title":"Tea"}"#)), as: SyncRequest.self) == nil)
    }

    @Test(
        "The error about a number that is not a whole 64-bit number gives its path",
        arguments: ["1.5", "9223372036854775808", "-9223372036854775809", "1e40", "-0.25", "1e-2"])
    func numbers(number: String) {
        let words = "has to be a whole number from 0 to 2^63 - 1, without a fraction."
        expect(round(sent: number), as: SyncRequest.self, "$.sent", "“sent” \(words)")
        expect(
            round(mutation: mutation(age: number, #""set":{"title":1.5}"#)), as: SyncRequest.self,
            "$.mutations[0].age", "“age” \(words)")
        expect(
            round(mutation: mutation(#""set":{"a":0.5},"add":{"count":\#(number)}"#)), as: SyncRequest.self,
            "$.mutations[0].add.count", "“count” \(words.replacing("from 0", with: "from -2^63"))")
        expect(#"{"role":"viewer","expiresIn":\#(number)}"#, as: LinkRequest.self, "$.expiresIn", words)
    }

    @Test("The error about a value that is none of those that are possible says so, and not what Swift says")
    func unknownValues() {
        expect(
            #"{"others":"keep"}"#, as: AccountDeletion.self, "$.others",
            "“keep” is not one of editor, delete.")
        expect(
            #"{"lists":[{"list":"\#(Self.id)","decision":"keep"}]}"#, as: AccountDeletion.self, "$.lists[0].decision",
            "A decision is handOver, editor or delete.")
    }

    @Test("A whole number may be written with a fraction of zero or an exponent") func wholeNumbers() {
        for number in ["1.0", "1e0", "10e-1", "9223372036854775807"] {
            #expect(fault(round(sent: number), as: SyncRequest.self) == nil, "\(number)")
        }
    }

    @Test("The error about a number that no field can hold names its path") func hugeNumbers() {
        expect(
            round(mutation: mutation(#""set":{"title":1e999}"#)), as: SyncRequest.self, "$.mutations[0].set.title",
            "too large")
    }

    @Test("The error about a bucket prefix beyond 32 bits names its place")
    func prefixes() {
        for number in ["-1", "4294967296"] {
            expect(
                #"{"key":"k","bits":1,"prefixes":[0,\#(number)]}"#, as: BucketRequest.self, "$.prefixes[1]",
                "not \(number)")
        }
        expect(#"{"key":"k","bits":1,"prefixes":[0.5]}"#, as: BucketRequest.self, "$.prefixes[0]", "whole number")
    }

    @Test("The error about a wrong type names the path, the found type and the needed type") func types() {
        expect("[]", as: SyncRequest.self, "$", "The body is an array; an object is needed")
        expect(#"{"account":7}"#, as: SyncRequest.self, "$.account", "“account” is a number; a text is needed")
        expect(round(sent: #""1""#), as: SyncRequest.self, "$.sent", "“sent” is a text; a whole number is needed")
        expect(round(sent: "true"), as: SyncRequest.self, "$.sent", "is true or false; a whole number is needed")
        expect(round(sent: "null"), as: SyncRequest.self, "$.sent", "is null; a whole number is needed")
        expect(round(reread: "{}"), as: SyncRequest.self, "$.reread", "is an object; an array is needed")
        expect(round(reread: "[7]"), as: SyncRequest.self, "$.reread[0]", "An entry of “reread” is a number")
        expect(round(mutation: "[]"), as: SyncRequest.self, "$.mutations[0]", "is an array; an object is needed")
        expect(
            round(mutation: mutation(#""set":["title"]"#)), as: SyncRequest.self, "$.mutations[0].set",
            "“set” is an array; an object is needed")
        expect(
            round(mutation: mutation(#""add":{"count":"2"}"#)), as: SyncRequest.self, "$.mutations[0].add.count",
            "“count” is a text; a whole number is needed")
        expect(
            round(mutation: mutation(#""delete":"yes""#)), as: SyncRequest.self, "$.mutations[0].delete",
            "is a text; true or false is needed")
    }

    @Test("A field that is missing is named, with its path") func missing() {
        expect("{}", as: SyncRequest.self, "$.account", "“account” is missing.")
        expect(round(mutation: #"{"id":"\#(Self.id)"}"#), as: SyncRequest.self, "$.mutations[0].number", "is missing")
        expect(
            round(mutation: mutation(#""ages":{}"#)), as: SyncRequest.self, "$.mutations[0].delete",
            "either sets and adds, or deletes")
    }

    @Test("The error about an unknown word lists the known words") func words() {
        expect(#"{"role":"boss"}"#, as: LinkRequest.self, "$.role", "“boss” is not one of viewer, editor, owner.")
        expect(#"{"state":"here"}"#, as: PresenceRequest.self, "$.state", "“here” is not one of online, away, busy")
        expect(
            round(mutation: mutation(feed: "milk", #""delete":true"#)), as: SyncRequest.self, "$.mutations[0].feed",
            "“milk” is not a UUID.")
    }

    @Test("A duplicate field is refused, however its name is escaped") func twice() {
        expect(#"{"role":"viewer","role":"editor"}"#, as: LinkRequest.self, "$.role", "“role” is there twice.")
        expect(#"{"role":"viewer","\u0072ole":"editor"}"#, as: LinkRequest.self, "$.role", "“role” is there twice.")
        let many = (0..<40).map { #""f\#($0)":1"# }.joined(separator: ",")
        #expect(fault("{\(many)}", as: FieldValue.self) == nil)
        expect("{\(many),\"f3\":1}", as: FieldValue.self, "$.f3", "twice")
        // The same name in two objects is two names.
        #expect(fault(#"{"a":{"b":1},"b":{"a":1,"b":2}}"#, as: FieldValue.self) == nil)
    }

    @Test("Names that differ only in how characters are composed are duplicates: a dictionary keeps only one of them")
    func composition() {
        let edit = mutation(#""set":{"title":"Tea","x":{"\u00e9":1,"e\u0301":2}}"#)
        let path = "$.mutations[0].set.x[\"e\u{301}\"]"
        expect(round(mutation: edit), as: SyncRequest.self, path, "is there twice.")
        expect("{\"\u{e9}\":1,\"e\u{301}\":2}", as: FieldValue.self, "$[\"e\u{301}\"]", "is there twice.")
        // The Kelvin sign is canonically equivalent to an ASCII letter.
        #expect(fault("{\"K\":1,\"\u{212A}\":2}", as: FieldValue.self)?.sentence.contains("twice") == true)
        #expect(fault("{\"\u{e9}\":1,\"e\":2}", as: FieldValue.self) == nil)
    }

    @Test("Too deep nesting has its own error") func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        expect(nested(1_000), as: FieldValue.self, "$" + String(repeating: "[0]", count: 32), "nest more than 32 deep")
        expect(
            round(mutation: mutation(#""set":{"colour":\#(nested(20))}"#)), as: SyncRequest.self,
            "$.mutations[0].set.colour" + String(repeating: "[0]", count: 13),
            "nest too deep: a field has at most \(Limits.nesting) levels")
        #expect(fault(round(mutation: mutation(#""set":{"colour":\#(nested(13))}"#)), as: SyncRequest.self) == nil)
    }

    @Test(
        "The error about invalid JSON gives the byte",
        arguments: [
            ("", "$", "empty"), (" \n", "$", "empty"), (#"{"account":"#, "$.account", "it ends after byte 11"),
            (#"{"a":1,}"#, "$.a", "byte 8: a name in quotes"), ("[1,]", "$[1]", "byte 4: a value is needed"),
            ("[1 2]", "$[0]", "byte 4: “,” or “]”"), (#"{"a" 1}"#, "$.a", "“:” is needed"), ("01", "$", "byte 2"),
            ("1.", "$", "a digit is needed"), ("-", "$", "a digit is needed"), ("[tru]", "$[0]", "“true” is needed"),
            ("{} x", "$", "byte 4: nothing may follow"), ("{'a':1}", "$", "a name in quotes"), ("NaN", "$", "a value"),
            (#"["a"#, "$[0]", "no closing quote"), ("[\"a\nb\"]", "$[0]", "control characters"),
            (#"["\x"]"#, "$[0]", "an escape is one of"), (#"["\u12G4"]"#, "$[0]", "four hexadecimal digits"),
            (#"["\ud800"]"#, "$[0]", "surrogate"), (#"["\ud800\u0041"]"#, "$[0]", "surrogate"),
            (#"["\udc00"]"#, "$[0]", "surrogate"), ("\u{0}", "$", "a value is needed"),
        ])
    func syntax(body: String, path: String, words: String) {
        expect(body, as: FieldValue.self, path, words)
    }

    @Test(
        "Trap: Swift's texts with many combining marks take minutes to compare – they are refused before that, by their path",
        arguments: [
            "\u{3099}\u{5B0}\u{334}\u{327}\u{31B}\u{301}\u{345}", #"\u3099\u05b0\u0334\u0327\u031b\u0301\u0345"#,
            "\u{1D165}\u{301}", #"\uD834\uDD65\u0301"#,
        ])
    func combiningMarks(part: String) {
        let marks = "a" + String(repeating: part, count: (Limits.body - 1_000) / part.utf8.count)
        let words = "more than 64 combining marks in a row"
        expect(#"{"ticket":"x","\#(marks)":1}"#, as: PasskeyPageRequest.self, "$", words)
        expect(#"{"ticket":"x","b":["c",{"d":"\#(marks)"}]}"#, as: PasskeyPageRequest.self, "$.b[1].d", words)
        for name in ["set", "add", "ages"] {
            let body = round(mutation: mutation(#""\#(name)":{"b":1,"\#(marks)":1}"#))
            expect(body, as: SyncRequest.self, "$.mutations[0].\(name)", words)
        }
        expect(
            round(mutation: mutation(#""set":{"title":"\#(marks)"}"#)), as: SyncRequest.self,
            "$.mutations[0].set.title", words)
        expect(
            round(mutation: mutation(feed: marks, #""delete":true"#)), as: SyncRequest.self, "$.mutations[0].feed",
            words)
        expect(round(reread: #"["\#(marks)"]"#), as: SyncRequest.self, "$.reread[0]", words)
        // What is not well-formed either is reported as the first of the two faults.
        expect(#"{"a":1,,"\#(marks)":1}"#, as: FieldValue.self, "$.a", "a name in quotes")
    }

    @Test("As many combining marks as are permitted are read", arguments: ["\u{301}", #"\u0301"#])
    func permittedMarks(mark: String) throws {
        let marks = String(repeating: mark, count: Limits.combiningMarks)
        #expect(
            fault(round(mutation: mutation(#""set":{"title":"e\#(marks)","e\#(marks)":1}"#)), as: SyncRequest.self)
                == nil)
    }

    @Test("Bytes that are not UTF-8 have their own error") func encoding() throws {
        for data in [Data([0x22, 0xFF, 0x22]), Data([0xED, 0xA0, 0x80])] {
            let error = #expect(throws: ServerError.self) { try JSONBody.decode(FieldValue.self, from: data) }
            #expect(error?.sentence.contains("not UTF-8") == true)
        }
        let utf16 = try #require("{}".data(using: .utf16LittleEndian))
        #expect(throws: ServerError.self) { try JSONBody.decode(FieldValue.self, from: utf16) }
    }

    @Test("All JSON that the encoder writes is read", arguments: 0..<50 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = anyValue(&random, depth: 0)
        #expect(try JSONBody.decode(FieldValue.self, from: try JSONBody.encode(value)) == value)
    }

    private func anyValue(_ random: inout SplitMix64, depth: Int) -> FieldValue {
        let texts = ["", "Tea", "\"\\/\u{8}\u{C}\n\r\t\u{1}", "é", "🫖", "\u{7F}", "\u{2028}"]
        switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .flag(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: return .text(texts[Int.random(in: 0..<texts.count, using: &random)])
        case 4: return .number(Double.random(in: -1...1, using: &random))
        case 5: return .array((0..<3).map { _ in anyValue(&random, depth: depth + 1) })
        default:
            let pairs = texts.prefix(4).map { ($0, anyValue(&random, depth: depth + 1)) }
            return .object(Dictionary(uniqueKeysWithValues: pairs))
        }
    }
}
