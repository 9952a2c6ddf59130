import Foundation
import HTTPTypes
import KithModel
import KithServer
import Testing

@Suite("Protocol.md agrees with the program") struct ProtocolPageTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    private let page: String

    init() throws { page = try String(contentsOf: root.appending(path: "Documentation/Protocol.md"), encoding: .utf8) }

    // MARK: Test vectors

    /// The lines of the code block after a mark.
    private func vectors<Vector: Decodable>(_ name: String, as type: Vector.Type) throws -> [Vector] {
        let mark = try #require(page.range(of: "<!-- vectors: \(name) -->\n```json\n"))
        let end = try #require(page[mark.upperBound...].range(of: "\n```"))
        return try page[mark.upperBound..<end.lowerBound].split(separator: "\n").map {
            try JSONDecoder().decode(type, from: Data($0.utf8))
        }
    }

    @Test("The vectors of the canonical form match the program") func canonicalForm() throws {
        struct Vector: Decodable {
            var value: FieldValue
            var canonical: String
        }
        let vectors = try vectors("canonical form", as: Vector.self)
        #expect(vectors.count >= 5)
        for vector in vectors { #expect(CanonicalForm.text(vector.value).utf8.elementsEqual(vector.canonical.utf8)) }
    }

    @Test("The vectors of hashes match the program") func hashes() throws {
        struct Vector: Decodable {
            var mutation: Mutation
            var canonical: String
            var hash: String
        }
        let vectors = try vectors("hashes", as: Vector.self)
        #expect(vectors.count >= 5)
        for vector in vectors {
            #expect(vector.mutation.canonical == vector.canonical)
            #expect(vector.mutation.hash == vector.hash)
        }
    }

    @Test("The vectors of digests match the program") func digests() throws {
        struct Vector: Decodable {
            var records: [Pair]
            var digest: FeedDigest
        }
        struct Pair: Decodable {
            var id: RecordID<Never>
            var sequence: Int64

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                id = try list.decode(RecordID<Never>.self)
                sequence = try list.decode(Int64.self)
            }
        }
        let vectors = try vectors("digests", as: Vector.self)
        #expect(vectors.count >= 4)
        for vector in vectors {
            var digest = FeedDigest()
            for pair in vector.records { digest.add(pair.id, sequence: pair.sequence) }
            #expect(digest == vector.digest)
        }
    }

    @Test("The vectors of index keys match the program") func indexKeys() throws {
        struct Vector: Decodable {
            var after: String?
            var before: String?
            var key: String
        }
        let vectors = try vectors("index keys", as: Vector.self)
        #expect(vectors.count >= 8)
        for vector in vectors {
            let (left, right) = (vector.after.flatMap { IndexKey($0) }, vector.before.flatMap { IndexKey($0) })
            #expect(IndexKey.between(left, right)?.text == vector.key)
        }
    }

    @Test("The vectors of emails match the identities of discovery") func emails() throws {
        struct Vector: Decodable {
            var written: String
            var identity: String?
        }
        let vectors = try vectors("emails", as: Vector.self)
        #expect(vectors.count >= 5)
        for vector in vectors {
            #expect(EmailAddress(vector.written).map { Identity.email($0).text } == vector.identity)
        }
    }

    @Test("The vectors of filters match the program") func filters() throws {
        struct Vector: Decodable {
            var sequence: Int64
            var tags: [String]
            var bytes: String
        }
        let vectors = try vectors("filters", as: Vector.self)
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let tags = vector.tags.compactMap { UInt64($0, radix: 16) }
            #expect(tags.count == vector.tags.count)
            #expect(Hex.text(TagFilter(tags, sequence: vector.sequence).data) == vector.bytes)
        }
    }

    // MARK: The example

    /// The JSON after a mark.
    private func example(_ name: String) throws -> Data {
        let mark = try #require(page.range(of: "<!-- example: \(name) -->\n```json\n"))
        let end = try #require(page[mark.upperBound...].range(of: "\n```"))
        return Data(page[mark.upperBound..<end.lowerBound].utf8)
    }

    @Test("The example of a round is what the program writes") func exampleOfARound() throws {
        func value(_ json: Data) throws -> FieldValue { try JSONDecoder().decode(FieldValue.self, from: json) }
        let (asked, told) = (try example("request of a round"), try example("answer of a round"))
        let request = try JSONDecoder().decode(SyncRequest.self, from: asked)
        let answer = try SyncAnswer(json: told)
        #expect(try value(request.json) == value(asked))
        #expect(try value(answer.json(isMinimal: true)) == value(told))

        #expect(answer.account == request.account && answer.acknowledged.number == request.sent)
        #expect(answer.acknowledged.hash == request.mutations.last?.hash)
        #expect(answer.feeds.contains { feed in feed.changes.contains { $0.fields == nil } })
        let new = try #require(answer.feeds.first { $0.page != nil })
        var digest = FeedDigest()
        for record in new.page?.records ?? [] { digest.add(record.id, sequence: record.sequence) }
        #expect(digest == new.digest)
    }

    // MARK: Codes

    /// The rows of the table with this head, without it.
    private func rows(under head: String) throws -> [[String]] {
        let start = try #require(page.range(of: "\n| \(head)"), "There is no table “\(head)”.")
        let lines = page[start.lowerBound...].dropFirst().split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces.union(["`"])) }
        }
    }

    /// The codes that a source declares.
    private func codes(in path: String, _ type: String) throws -> Set<String> {
        let source = try String(contentsOf: root.appending(path: "Sources/KithModel/\(path)"), encoding: .utf8)
        let declared = source.matches(of: /static let \w+ = (\w+)\(rawValue: "(\w+)"\)/).filter { $0.1 == type }
        return Set(declared.map { String($0.2) })
    }

    /// The words that `openapi.json` names as examples of a code.
    private func examples(of schema: String) throws -> Set<String> {
        let file = try Data(contentsOf: root.appending(path: "Documentation/openapi.json"))
        var place = try JSONSerialization.jsonObject(with: file) as? [String: Any]
        for key in ["components", "schemas", schema, "properties", "code"] { place = place?[key] as? [String: Any] }
        return Set(try #require(place?["examples"] as? [String]))
    }

    @Test("Each code of an error is in the table, with its status, and in openapi.json") func errorCodes() throws {
        let declared = try codes(in: "Answers/Problem.swift", "Code")
        let rows = try rows(under: "code | status | when")
        #expect(declared.count > 15)
        #expect(Set(rows.map { $0[0] }) == declared)
        #expect(rows.count == declared.count)
        for row in rows { #expect(row[1] == "\(Problem.Code(rawValue: row[0]).status.code)", "\(row[0])") }
        #expect(try examples(of: "Problem") == declared)
    }

    @Test("Each code of a rejection is in the table and in openapi.json") func rejectionCodes() throws {
        let declared = try codes(in: "Records/RejectionCode.swift", "RejectionCode")
        let rows = try rows(under: "rejection | when")
        #expect(declared.count > 10)
        #expect(Set(rows.map { $0[0] }) == declared)
        #expect(rows.count == declared.count)
        #expect(try examples(of: "Outcome") == declared)
    }

    @Test("The table of collections lists the required fields and the feed of each") func collections() throws {
        let rows = try rows(under: "collection | feed | id")
        #expect(rows.map { $0[0] } == Schema.all.map(\.collection.rawValue))
        for (row, schema) in zip(rows, Schema.all) {
            #expect(row[1] == (schema.home == .list ? "the list's" : "the account's"))
            let needed = row.last?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces.union(["`"])) }
            #expect((needed ?? []).filter { !$0.isEmpty } == schema.fields.filter(\.isRequired).map(\.name))
            #expect((row[3] == "the server") == (schema.creator == .server))
        }
    }
}
