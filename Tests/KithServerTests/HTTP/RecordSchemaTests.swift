import Foundation
import KithModel
import Testing

@Suite("openapi.json agrees with the program about each collection") struct RecordSchemaTests {
    private let schemas: [String: FieldValue]

    init() throws { schemas = try #require(try Self.description.get()["components"]?.value["schemas"]?.object) }

    /// Read once: decoding throws an error for each value that has another type, and each error has a backtrace.
    private static let description = Result {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = try Data(contentsOf: root.appending(path: "Documentation/openapi.json"))
        return try JSONDecoder().decode([String: Deep].self, from: file)
    }

    @Test("A record has its fields, with their types, limits, writers and defaults", arguments: Schema.all)
    func record(schema: Schema) {
        var object: Fields = [
            "type": "object", "x-collection": .text(schema.collection.rawValue),
            "x-home": schema.home == .list ? "list" : "account", "x-creator": .text(schema.creator.word),
            "x-remover": .text(schema.remover.word), "additionalProperties": reference("NewerField"),
            "properties": .object(fields(of: schema, \.recordSchema)),
        ]
        let required = schema.fields.filter(\.isRequired).map { FieldValue.text($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        expect(object, schema, "Record")
    }

    @Test("An edit may set exactly the fields that somebody may write", arguments: Schema.all)
    func edit(schema: Schema) {
        expect(
            [
                "type": "object", "additionalProperties": false,
                "properties": .object(fields(of: schema) { $0.writer == .server ? nil : $0.editSchema }),
            ], schema, "Edit")
    }

    @Test("A mutation sets fields, and adds only to sums", arguments: Schema.all)
    func mutation(schema: Schema) {
        let sums = fields(of: schema) { field in
            guard case .sum = field.kind, field.writer != .server else { return nil }
            return [
                "type": "integer", "format": "int64", "minimum": .integer(-Limits.sum), "maximum": .integer(Limits.sum),
            ]
        }
        var properties: Fields = [
            "collection": .object(["const": .text(schema.collection.rawValue)]),
            "set": .object(["anyOf": .array([reference(schema.name + "Edit"), .object(["type": "null"])])]),
            "add": .object(["type": ["object", "null"], "additionalProperties": false, "properties": .object(sums)]),
        ]
        if schema.remover == .server { properties["delete"] = .object(["enum": [false, .null]]) }
        let own: FieldValue = .object(["type": "object", "properties": .object(properties)])
        expect(["allOf": [reference("MutationHead"), own]], schema, "Mutation")
    }

    @Test("The mutations and changes contain exactly the program's collections") func complete() {
        let names = Schema.all.map(\.name)
        #expect(schemas["Mutation"]?["oneOf"] == .array(names.map { reference($0 + "Mutation") }))
        let changes = Schema.all.map { schema -> FieldValue in
            [
                "if": ["properties": ["collection": ["const": .text(schema.collection.rawValue)]]],
                "then": ["properties": ["fields": reference(schema.name + "Record")]],
            ]
        }
        #expect(schemas["RecordChange"]?["allOf"] == .array(changes))
        let described = schemas.keys.filter { $0.hasSuffix("Edit") }
        #expect(Set(described) == Set(names.map { $0 + "Edit" }))
    }

    @Test("The pattern of an index key matches exactly the valid keys", arguments: 0..<200 as Range<UInt64>)
    func indexKeys(seed: UInt64) throws {
        let pattern = try Regex(try #require(schemas["IndexKey"]?["pattern"]?.text))
        var random = SplitMix64(seed: seed)
        let letters = Array("ab0zZYQjkP1y")
        for length in 1...12 {
            let text = String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
            #expect((text.wholeMatch(of: pattern) != nil) == (IndexKey(text) != nil), "\(text)")
        }
        var key = IndexKey.first
        for _ in 0..<200 {
            #expect(key.text.wholeMatch(of: pattern) != nil, "\(key)")
            key = IndexKey.between(Bool.random(using: &random) ? key : nil, key) ?? .first
            key = IndexKey.between(key, Bool.random(using: &random) ? nil : IndexKey.between(key, nil)) ?? .first
        }
    }

    @Test("The pattern of a required text refuses exactly the texts that the program treats as blank")
    func spaces() throws {
        let pattern = try #require(schemas["ItemEdit"]?["properties"]?["title"]?["pattern"]?.text)
        let expression = try NSRegularExpression(pattern: pattern)
        let title = try #require(ListItem.schema["title"])
        for scalar in (UInt32(0)...0x3100).compactMap({ Unicode.Scalar($0) }) + ["\u{FEFF}", "\u{1F44D}"] {
            let text = String(scalar)
            let isFitting = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
            #expect(isFitting == (title.fault(in: .text(text)) == nil), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("Each field has a description") func described() {
        for schema in Schema.all {
            for field in schema.fields {
                let text = schemas[schema.name + "Record"]?["properties"]?[field.name]?["description"]?.text
                #expect(text?.isEmpty == false, "\(schema.collection).\(field.name)")
            }
        }
    }

    private func fields(of schema: Schema, _ described: (Field) -> Fields?) -> Fields {
        var fields: Fields = [:]
        for field in schema.fields { fields[field.name] = described(field).map(FieldValue.object) }
        return fields
    }

    private func expect(_ object: Fields, _ schema: Schema, _ kind: String) {
        let told = schemas[schema.name + kind]?.withoutDescriptions
        #expect(
            told == .object(object),
            "\(schema.name)\(kind) in openapi.json has to be, but for descriptions:\n\(CanonicalForm.text(object))")
    }
}

/// A reference to another schema of the description.
private func reference(_ name: String) -> FieldValue { ["$ref": .text("#/components/schemas/\(name)")] }

/// JSON of any depth: ``FieldValue`` alone reads only what a field may have.
private struct Deep: Decodable {
    let value: FieldValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let object = try? container.decode([String: Deep].self) {
            value = .object(object.mapValues(\.value))
        } else if let array = try? container.decode([Deep].self) {
            value = .array(array.map(\.value))
        } else {
            value = try container.decode(FieldValue.self)
        }
    }
}

extension FieldValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral pairs: (String, FieldValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: pairs))
    }

    init(arrayLiteral values: FieldValue...) { self = .array(values) }
}

extension FieldValue {
    fileprivate var object: Fields? { if case .object(let object) = self { object } else { nil } }

    fileprivate subscript(name: String) -> FieldValue? { object?[name] }

    fileprivate var withoutDescriptions: FieldValue {
        switch self {
        case .object(let object):
            .object(object.filter { $0.key != "description" }.mapValues(\.withoutDescriptions))
        case .array(let values): .array(values.map(\.withoutDescriptions))
        default: self
        }
    }
}

extension Schema {
    /// What the schemas of a collection are called in the description.
    fileprivate var name: String { collection.rawValue.prefix(1).uppercased() + collection.rawValue.dropFirst() }
}

extension Field.Writer {
    fileprivate var word: String {
        switch self {
        case .server: "server"
        case .owner: "owner"
        case .editor: "editor"
        case .person: "person"
        }
    }
}

extension Field {
    /// The field as the server sends it.
    fileprivate var recordSchema: Fields {
        var schema = valueSchema(isSent: true)
        schema["x-writer"] = .text(writer.word)
        if writer == .server { schema["readOnly"] = true }
        if standard != .null { schema["default"] = standard }
        return schema
    }

    /// The field as an edit may set it.
    fileprivate var editSchema: Fields {
        var schema = valueSchema(isSent: false)
        if isRequired { return schema }
        if schema["$ref"] != nil { return ["anyOf": [.object(schema), ["type": "null"]]] }
        schema["type"] = schema["type"].map { [$0, "null"] }
        if case .array(let words) = schema["enum"] { schema["enum"] = .array(words + [.null]) }
        return schema
    }

    private func valueSchema(isSent: Bool) -> Fields {
        switch kind {
        case .text(let range): Self.text(range, isFilled: isRequired)
        case .flag: ["type": "boolean"]
        // What is sent is the sum as it adds up; what is set is within the range.
        case .sum(let range): Self.integer(isSent ? -Limits.sum...Limits.sum : range)
        case .choice(let words): ["type": "string", "enum": .array(words.map { .text($0) })]
        case .indexKey: ["$ref": "#/components/schemas/IndexKey"]
        case .identifier:
            ["type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"]
        case .time: ["type": "integer", "format": "int64", "minimum": 0]
        case .digest: ["type": "string", "pattern": "^[0-9a-f]{64}$"]
        case .entries(let texts, let most): Self.entries(texts, most)
        }
    }

    private static func text(_ range: ClosedRange<Int>, isFilled: Bool) -> Fields {
        [
            "type": "string", "minLength": .integer(Int64(max(range.lowerBound, isFilled ? 1 : 0))),
            "maxLength": .integer(Int64(range.upperBound)),
            "pattern": .text(isFilled ? "^[^\\u0000]*[^\\u0000\(spaces)][^\\u0000]*$" : "^[^\\u0000]*$"),
        ]
    }

    /// The code points with the property White_Space. `\s` of a pattern has U+FEFF besides, and lacks U+0085.
    private static let spaces =
        "\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"

    private static func integer(_ range: ClosedRange<Int64>) -> Fields {
        [
            "type": "integer", "format": "int64", "minimum": .integer(range.lowerBound),
            "maximum": .integer(range.upperBound),
        ]
    }

    private static func entries(_ texts: [Text], _ most: Int) -> Fields {
        let first = texts.first?.name ?? ""
        let properties = texts.map { entry in
            (entry.name, FieldValue.object(text(0...entry.longest, isFilled: entry.name == first)))
        }
        let entry: FieldValue = [
            "type": "object", "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
            "required": [.text(first)], "additionalProperties": false,
        ]
        return ["type": "array", "maxItems": .integer(Int64(most)), "items": entry]
    }
}
