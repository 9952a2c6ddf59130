import Foundation
import KithModel
import Testing

@Suite("Reading JSON quickly") struct JSONReaderTests {
    @Test("Reads what Kith writes as JSONDecoder does", arguments: 0..<200 as Range<UInt64>)
    func sameAsDecoder(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let fields = Fields(uniqueKeysWithValues: (0..<5).map { ("field\($0)", value(depth: 0, &random)) })
        for data in [Data(CanonicalForm.text(fields).utf8), try JSONEncoder().encode(fields)] {
            let read = JSONReader.read(data) { try $0.fields() }
            #expect(try read == JSONDecoder().decode(Fields.self, from: data))
            #expect(read == fields)
        }
    }

    private func value(depth: Int, _ random: inout SplitMix64) -> FieldValue {
        switch Int.random(in: 0..<(depth < 3 ? 6 : 4), using: &random) {
        case 0: return .null
        case 1: return .flag(.random(using: &random))
        case 2: return .integer(.random(in: -999_999_999_999_999_999...999_999_999_999_999_999, using: &random))
        case 3:
            let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "/", "\n", "\u{1}", "é", "\u{301}", "🥛", " "]
            var text = ""
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
            }
            return .text(text)
        case 4: return .array((0..<3).map { _ in value(depth: depth + 1, &random) })
        default:
            return .object(
                Dictionary(uniqueKeysWithValues: (0..<3).map { ("\($0)", value(depth: depth + 1, &random)) }))
        }
    }

    @Test(
        "Refuses everything that JSONDecoder has to judge",
        arguments: [
            "", "{", "[1,]", "{\"a\":1,\"a\":2}", "1.5", "1e3", "01", "-0", "--1", "+1", "1234567890123456789", "tru",
            "nul", "\"a", "\"\u{1}\"", "\"\\x\"", "\"\\ud83e\\udd5b\"", "\"\\u12\"", "[1] 2", "{\"a\" 1}", "{a:1}",
            String(repeating: "[", count: 20) + String(repeating: "]", count: 20),
        ])
    func refuses(text: String) { #expect(JSONReader.read(Data(text.utf8)) { try $0.value() } == nil) }

    @Test("Refuses bytes that are not UTF-8") func invalidBytes() {
        #expect(JSONReader.read(Data([0x22, 0xFF, 0x22])) { try $0.value() } == nil)
    }

    @Test("Tells the names of members apart by all of their bytes, and refuses those that are not UTF-8") func names() {
        func read(_ json: Data) -> [Int64?]? {
            JSONReader.read(json) { reader -> [Int64?] in
                var (short, long, accented): (Int64?, Int64?, Int64?) = (nil, nil, nil)
                try reader.object { reader, name in
                    switch name {
                    case "n": short = try reader.integer()
                    case "number": long = try reader.integer()
                    case "n\u{E9}": accented = try reader.integer()
                    default: try reader.skip()
                    }
                }
                return [short, long, accented]
            }
        }
        let similar = "{\"n\":1,\"number\":2,\"n\u{E9}\":3,\"\":4,\"numbers\":5,\"Number\":6,\"ne\u{301}\":7,\"🥛\":8}"
        #expect(read(Data(similar.utf8)) == [1, 2, 3])
        #expect(read(Data("{\"n\\u0075mber\":2}".utf8)) == nil)
        #expect(read(Data("{\"".utf8 + [0xFF as UInt8] + "\":1}".utf8)) == nil)
    }

    @Test("Reads an id, and leaves one with escapes or of another length to JSONDecoder")
    func ids() throws {
        let id = ListID(UUID())
        func read(_ json: String) -> ListID? { JSONReader.read(Data(json.utf8)) { try $0.id() } }
        #expect(read("\"\(id)\"") == id)
        #expect(read(" \"\(id.description.uppercased())\" ") == id)
        let escaped = "\"\\u00\(String(id.description.utf8.first ?? 0, radix: 16))\(id.description.dropFirst())\""
        #expect(read(escaped) == nil)
        #expect(try JSONDecoder().decode(ListID.self, from: Data(escaped.utf8)) == id)
        for text in ["\(id)0", "\(id.description.dropLast())", "", "\(id.description.dropLast())g"] {
            #expect(read("\"\(text)\"") == nil)
        }
        for count in 0..<37 { #expect(read(String("\"\(id)\"".prefix(count))) == nil) }
    }

    /// Texts are searched eight bytes at a time, so every place of a special byte counts.
    @Test("Finds the end of a text, and what may not stand in it, at any place", arguments: 0..<20)
    func places(_ place: Int) throws {
        let plain = String(repeating: "a", count: place)
        for rest in ["", "b", "cdefghi", "jklmnopqrstuvwxyz"] {
            for inner in ["", "\\\"", "\\n", "é", "\u{7F}", "\u{80}", "🥛"] {
                let json = Data("[\"\(plain)\(inner)\(rest)\",\"next\"]".utf8)
                let read = JSONReader.read(json) { try $0.all { try $0.text() } }
                #expect(try read == JSONDecoder().decode([String].self, from: json))
            }
            for byte in Array(0..<0x20) + [0x80, 0xFF] as [UInt8] {
                let json = Data("[\"\(plain)".utf8 + [byte] + "\(rest)\"]".utf8)
                #expect(JSONReader.read(json) { try $0.all { try $0.text() } } == nil)
            }
        }
    }

    @Test("Accepts space around each part") func spaces() {
        let text = " { \"a\" : [ 1 , null ] ,\n\t\"b\" : { } } "
        #expect(
            JSONReader.read(Data(text.utf8)) { try $0.fields() } == ["a": .array([1, .null]), "b": .object([:])])
    }

    @Test("Reads an answer as JSONDecoder does") func answer() throws {
        let answer = Self.answer
        let data = try JSONEncoder().encode(answer)
        #expect(try SyncAnswer(json: data) == answer)
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: data) == answer)
    }

    @Test("Reads an answer of a newer server, whose fields and properties it does not know") func newerAnswer() throws {
        let text = String(decoding: try JSONEncoder().encode(Self.answer), as: UTF8.self)
        let newer = Data(text.replacing("\"epoch\":", with: "\"new\":{\"weight\":0.5,\"list\":[]},\"epoch\":").utf8)
        #expect(try SyncAnswer(json: newer) == Self.answer)
    }

    @Test(
        "Says what is wrong with an answer that cannot be read", arguments: ["{}", "[]", "{\"account\":1}", "nonsense"])
    func brokenAnswer(text: String) {
        #expect(throws: DecodingError.self) { try SyncAnswer(json: Data(text.utf8)) }
    }

    @Test("Reads a request as JSONDecoder does", arguments: 0..<100 as Range<UInt64>)
    func request(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func maybe<Value>(_ value: Value) -> Value? { random.next() % 2 == 0 ? value : nil }
        let mutations = (1...3).map { number in
            let fields: Fields = ["a": value(depth: 0, &random), "b": value(depth: 1, &random)]
            let edit = Mutation.Change.edit(set: maybe(fields) ?? [:], add: maybe(["count": 2]) ?? [:])
            return Mutation(
                id: RecordID(uuid(UInt64(number))), number: Int64(number), group: maybe(1), feed: RecordID(uuid(7)),
                collection: .items, record: RecordID(uuid(8)), seen: 3, age: 4, ages: maybe(["a": 5]) ?? [:],
                change: maybe(edit) ?? .delete)
        }
        let request = SyncRequest(
            account: AccountID(uuid(1)), device: DeviceID(uuid(2)), acknowledged: Acknowledgement(number: 0, hash: "h"),
            sent: 3, mutations: mutations, token: maybe(SyncToken(rawValue: "t")), reread: maybe([FeedID(uuid(7))]),
            kind: maybe("anonymous"))
        for data in [request.json, try JSONEncoder().encode(request)] {
            #expect(SyncRequest(quickly: data) == request)
            #expect(try JSONDecoder().decode(SyncRequest.self, from: data) == request)
        }
    }

    @Test(
        "Leaves a request to JSONDecoder if members are unknown, contradict each other, or have escapes in their names",
        arguments: [
            ("\"sent\":0", "\"sent\":0,\"new\":1"), ("\"sent\":0", "\"sent\":null"),
            ("\"sent\":0", "\"sent\":0,\"sent\":0"),
            ("\"delete\":true", "\"delete\":false"), ("\"delete\":true", "\"delete\":true,\"set\":{}"),
            ("\"number\":1", "\"number\":1,\"new\":1"), ("\"number\":1", "\"n\\u0075mber\":1"),
        ])
    func unusualRequest(part: String, change: String) throws {
        let request = SyncRequest(
            account: AccountID(uuid(1)), device: DeviceID(uuid(2)), acknowledged: .none, sent: 0,
            mutations: [
                Mutation(
                    id: RecordID(uuid(3)), number: 1, feed: RecordID(uuid(7)), collection: .items,
                    record: RecordID(uuid(8)), seen: 0, change: .delete)
            ], token: nil)
        let text = String(decoding: request.json, as: UTF8.self)
        #expect(text.contains(part))
        #expect(SyncRequest(quickly: Data(text.replacing(part, with: change, maxReplacements: 1).utf8)) == nil)
        #expect(SyncRequest(quickly: Data(text.utf8)) == request)
    }

    @Test("Reads columns of each type, with and without values, and of several types", arguments: [false, true])
    func columns(isMixed: Bool) throws {
        let texts: [FieldValue] = [.null, "a", .null]
        let records = texts.indices.map { index in
            var fields: Fields = ["text": texts[index], "none": .null]
            fields["count"] = index == 1 ? 7 : .null
            fields["flag"] = index == 2 ? true : .null
            if isMixed { fields["mixed"] = index == 0 ? 1 : "b" }
            return RecordChange(
                collection: .items, id: id(index), sequence: 1, modified: Timestamp(milliseconds: 2), fields: fields)
        }
        var answer = Self.answer
        answer.feeds[0].page = RecordPage(
            after: nil, through: id(3), columns: [RecordPage.Columns(collection: .items, records: records)])
        let data = try JSONEncoder().encode(answer)
        let read = try SyncAnswer(json: data)
        #expect(read == answer)
        let columns = try #require(read.feeds[0].page?.columns.first)
        #expect(columns.isWellFormed)
        let column = try #require(columns.fields["text"])
        #expect((0..<3).map { column[$0] } == texts)
    }

    @Test("Writes a request that JSONDecoder reads as the same") func request() throws {
        let feed = FeedID(UUID(high: 3, low: 4))
        func mutation(_ number: Int64, _ change: Mutation.Change, group: Int64? = nil, ages: [String: Int64] = [:])
            -> Mutation
        {
            Mutation(
                id: RecordID(UUID(high: 8, low: UInt64(number))), number: number, group: group, feed: feed,
                collection: .items, record: id(1), seen: 4, age: 5, ages: ages, change: change)
        }
        var request = SyncRequest(
            account: RecordID(UUID(high: 1, low: 2)), device: RecordID(UUID(high: 2, low: 3)),
            acknowledged: Acknowledgement(number: 3, hash: "a\"b/"), sent: 9,
            mutations: [
                mutation(
                    4, .set(["title": "“Milk”\n\\", "count": .number(0.5), "new": .array([.null, .object(["a": 1])])])),
                mutation(5, .set([:]), group: 5), mutation(6, .delete, group: 5, ages: ["title": 7]),
                mutation(7, .edit(set: [:], add: ["count": -1])),
            ], token: nil)
        #expect(try JSONDecoder().decode(SyncRequest.self, from: request.json) == request)
        (request.token, request.reread, request.kind) = (SyncToken(rawValue: "t"), [feed], "anonymous")
        request.mutations = []
        #expect(try JSONDecoder().decode(SyncRequest.self, from: request.json) == request)
    }

    @Test("Parses UUIDs in both cases, and nothing else", arguments: 0..<100 as Range<UInt64>)
    func identities(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let uuid = UUID.version7(time: Timestamp(milliseconds: 1_800_000_000_000), using: &random)
        #expect(UUID(text: uuid.text) == uuid)
        #expect(UUID(text: uuid.uuidString) == uuid)
        var bytes = Array(uuid.text.utf8)
        bytes[Int.random(in: 0..<36, using: &random)] = UInt8(ascii: "g")
        #expect(UUID(text: String(decoding: bytes, as: UTF8.self)) == nil)
        #expect(UUID(text: String(uuid.text.dropLast())) == nil)
        #expect(UUID(text: uuid.text + "0") == nil)
    }

    static let answer = SyncAnswer(
        account: RecordID(UUID(high: 1, low: 2)), time: Timestamp(milliseconds: 5), epoch: "a/b", device: .recognised,
        acknowledged: Acknowledgement(number: 3, hash: "h"),
        outcomes: [
            MutationOutcome(number: 1, result: .superseded),
            MutationOutcome(number: 2, result: .rejected, code: .forbidden, detail: "“No”"),
        ],
        records: [
            FeedRecord(
                feed: RecordID(UUID(high: 3, low: 4)),
                change: RecordChange(
                    collection: .items, id: RecordID(UUID(high: 5, low: 6)), sequence: 9,
                    modified: Timestamp(milliseconds: 8), fields: ["title": "Milk", "count": 2, "ticked": false]))
        ],
        feeds: [
            FeedChanges(
                feed: RecordID(UUID(high: 3, low: 4)),
                changes: [
                    RecordChange(
                        collection: .items, id: RecordID(UUID(high: 7, low: 7)), sequence: 1,
                        modified: Timestamp(milliseconds: -1), fields: nil)
                ], isComplete: true, digest: FeedDigest(bits: 77))
        ],
        lost: [RecordID(UUID(high: 9, low: 9))], token: SyncToken(rawValue: "t"), more: true, kind: "anonymous")

    private func id(_ index: Int) -> RecordID<Never> { RecordID(UUID(high: 10, low: UInt64(index))) }
}
