import Foundation
import KithModel
import Testing

/// Each message as it stands on the wire, so that a change of it is seen.
@Suite("Messages on the wire") struct WireTests {
    private static let account = "00000000-0000-7000-8000-00000000000a"
    private static let device = "00000000-0000-7000-8000-00000000000d"
    private static let server = "00000000-0000-7000-8000-000000000005"
    private static let list = "00000000-0000-7000-8000-00000000001f"
    private static let item = "00000000-0000-7000-8000-000000000011"
    private static let edit = "00000000-0000-7000-8000-0000000000ed"
    private let time = Timestamp(milliseconds: 1_700_000_000_000)

    /// Whether `message` is written as `json`, and `json` read as `message`.
    private func expect<Message: Codable & Equatable>(
        _ message: Message, is json: String, _ place: SourceLocation = #_sourceLocation
    ) throws {
        let written = try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(message))
        let expected = try JSONDecoder().decode(FieldValue.self, from: Data(json.utf8))
        #expect(CanonicalForm.text(written) == CanonicalForm.text(expected), sourceLocation: place)
        #expect(
            try JSONDecoder().decode(Message.self, from: Data(json.utf8)) == message, sourceLocation: place)
    }

    @Test("A round's request")
    func request() throws {
        let set = Mutation(
            id: MutationID(uuid(0xED)), number: 8, feed: FeedID(uuid(0x1F)), collection: .items,
            record: RecordID(uuid(0x11)), seen: 3, age: 250, ages: ["comment": 900],
            change: .edit(set: ["title": "Tea", "comment": .null], add: ["count": 2]))
        var deletion = set
        (deletion.number, deletion.group, deletion.ages, deletion.change) = (9, 9, [:], .delete)
        try expect(
            SyncRequest(
                account: AccountID(uuid(0xA)), device: DeviceID(uuid(0xD)),
                acknowledged: Acknowledgement(number: 7, hash: "c2VhbGVk"), sent: 9, mutations: [set, deletion],
                token: SyncToken(rawValue: "opaque")),
            is: """
                {"account": "\(Self.account)", "device": "\(Self.device)",
                 "acknowledged": {"number": 7, "hash": "c2VhbGVk"}, "sent": 9,
                 "mutations": [
                    {"id": "\(Self.edit)", "number": 8, "feed": "\(Self.list)", "collection": "item",
                     "record": "\(Self.item)", "seen": 3, "age": 250, "ages": {"comment": 900},
                     "set": {"title": "Tea", "comment": null}, "add": {"count": 2}},
                    {"id": "\(Self.edit)", "number": 9, "group": 9, "feed": "\(Self.list)", "collection": "item",
                     "record": "\(Self.item)", "seen": 3, "age": 250, "delete": true}],
                 "token": "opaque"}
                """)
    }

    @Test("A device's first request, and one that rereads a feed")
    func firstRequest() throws {
        try expect(
            SyncRequest(
                account: AccountID(uuid(0xA)), device: DeviceID(uuid(0xD)), acknowledged: .none, sent: 0, mutations: [],
                token: nil, reread: [FeedID(uuid(0x1F))]),
            is: """
                {"account": "\(Self.account)", "device": "\(Self.device)",
                 "acknowledged": {"number": 0, "hash": ""}, "sent": 0, "mutations": [], "reread": ["\(Self.list)"]}
                """)
    }

    @Test("A round's answer with changes")
    func answer() throws {
        let tea = RecordChange(
            collection: .items, id: RecordID(uuid(0x11)), sequence: 4, modified: time, fields: ["title": "Tea"])
        let gone = RecordChange(
            collection: .items, id: RecordID(uuid(0x12)), sequence: 5, modified: time, fields: nil)
        try expect(
            SyncAnswer(
                account: AccountID(uuid(0xA)), time: time, epoch: "e1", device: .recognised,
                acknowledged: Acknowledgement(number: 9, hash: "c2VhbGVk"),
                outcomes: [
                    MutationOutcome(number: 8, result: .superseded),
                    MutationOutcome(number: 9, result: .rejected, code: .deleted, detail: "This was deleted before."),
                ],
                records: [FeedRecord(feed: FeedID(uuid(0x1F)), change: tea)],
                feeds: [
                    FeedChanges(
                        feed: FeedID(uuid(0x1F)), changes: [gone], isComplete: true, digest: FeedDigest(bits: 0xABC))
                ],
                lost: [FeedID(uuid(0x2F))], token: SyncToken(rawValue: "opaque"), more: false),
            is: """
                {"account": "\(Self.account)", "time": 1700000000000, "epoch": "e1", "device": "recognised",
                 "acknowledged": {"number": 9, "hash": "c2VhbGVk"},
                 "outcomes": [
                    {"number": 8, "result": "superseded"},
                    {"number": 9, "result": "rejected", "code": "deleted", "detail": "This was deleted before."}],
                 "records": [{"feed": "\(Self.list)", "change":
                    {"collection": "item", "id": "\(Self.item)", "sequence": 4, "modified": 1700000000000,
                     "fields": {"title": "Tea"}}}],
                 "feeds": [{"feed": "\(Self.list)", "changes": [
                    {"collection": "item", "id": "00000000-0000-7000-8000-000000000012", "sequence": 5,
                     "modified": 1700000000000}], "isComplete": true, "digest": "0000000000000abc"}],
                 "lost": ["00000000-0000-7000-8000-00000000002f"], "token": "opaque", "more": false}
                """)
    }

    @Test("A page of a snapshot")
    func page() throws {
        let tea = RecordChange(
            collection: .items, id: RecordID(uuid(0x11)), sequence: 4, modified: time,
            fields: ["title": "Tea", "ticked": true])
        let milk = RecordChange(
            collection: .items, id: RecordID(uuid(0x12)), sequence: 6, modified: time,
            fields: ["title": "Milk", "count": 2])
        try expect(
            FeedChanges(
                feed: FeedID(uuid(0x1F)), changes: [],
                page: RecordPage(
                    after: nil, through: RecordID(uuid(0x12)),
                    columns: [RecordPage.Columns(collection: .items, records: [tea, milk])]),
                isComplete: false),
            is: """
                {"feed": "\(Self.list)", "changes": [], "isComplete": false,
                 "page": {"through": "00000000-0000-7000-8000-000000000012", "columns": [
                    {"collection": "item", "ids": "AAAAAAAAcACAAAAAAAAAEQAAAAAAAHAAgAAAAAAAABI=",
                     "sequences": [4, 6], "modified": [1700000000000, 1700000000000],
                     "fields": {"title": ["Tea", "Milk"], "ticked": [true, null], "count": [null, 2]}}]}}
                """)
    }

    @Test("Sessions and live events")
    func sessions() throws {
        try expect(
            NewSession(account: AccountID(uuid(0xA)), token: "secret", server: ServerID(uuid(0x5))),
            is: #"{"account": "\#(Self.account)", "token": "secret", "server": "\#(Self.server)"}"#)
        try expect(
            SessionDescription(
                account: AccountID(uuid(0xA)), kind: "anonymous", created: time, server: ServerID(uuid(0x5))),
            is: """
                {"account": "\(Self.account)", "kind": "anonymous", "created": 1700000000000, "server": "\(Self.server)"}
                """)
        try expect(
            Readiness(server: ServerID(uuid(0x5))), is: #"{"status": "ready", "server": "\#(Self.server)"}"#)
        try expect(FeedsMoved(feeds: [FeedID(uuid(0x1F))]), is: #"{"feeds": ["\#(Self.list)"]}"#)
    }

    @Test("Links")
    func links() throws {
        try expect(LinkRequest(role: .editor), is: #"{"role": "editor"}"#)
        try expect(
            LinkRequest(role: .viewer, expiresIn: 3_600, isPublic: true),
            is: #"{"role": "viewer", "expiresIn": 3600, "isPublic": true}"#)
        try expect(
            ListLinks(links: [
                ListLink(
                    id: LinkID(uuid(0x77)), list: ListID(uuid(0x1F)), role: .editor, isPublic: false, created: time,
                    expires: time + .days(14), accepted: 1, token: "secret", url: "https://kith.example/l/secret",
                    server: ServerID(uuid(0x5)))
            ]),
            is: """
                {"links": [{"id": "00000000-0000-7000-8000-000000000077", "list": "\(Self.list)", "role": "editor",
                 "isPublic": false, "created": 1700000000000, "expires": 1701209600000, "accepted": 1,
                 "token": "secret", "url": "https://kith.example/l/secret", "server": "\(Self.server)"}]}
                """)
        try expect(
            LinkPreview(
                list: ListID(uuid(0x1F)), name: "Groceries", role: .viewer, isPublic: true, items: 3, members: 2,
                expires: nil, server: ServerID(uuid(0x5))),
            is: """
                {"list": "\(Self.list)", "name": "Groceries", "role": "viewer", "isPublic": true, "items": 3,
                 "members": 2, "server": "\(Self.server)"}
                """)
        try expect(
            LinkAcceptance(list: ListID(uuid(0x1F)), role: .owner),
            is: #"{"list": "\#(Self.list)", "role": "owner"}"#)
        try expect(
            PublicList(
                name: "Groceries", modified: time,
                items: [.init(title: "Tea", count: 2, ticked: false, category: "Drinks", comment: nil)],
                server: ServerID(uuid(0x5))),
            is: """
                {"name": "Groceries", "modified": 1700000000000,
                 "items": [{"title": "Tea", "count": 2, "ticked": false, "category": "Drinks"}],
                 "server": "\(Self.server)"}
                """)
    }

    @Test("People that a list's owner has removed")
    func removedPeople() throws {
        let people = [
            RemovedPerson(account: AccountID(uuid(0xA)), name: "Ben", removed: time),
            RemovedPerson(account: AccountID(uuid(0xA)), name: nil, removed: time),
        ]
        try expect(
            RemovedPeople(people: people),
            is: """
                {"people": [{"account": "\(Self.account)", "name": "Ben", "removed": 1700000000000},
                 {"account": "\(Self.account)", "removed": 1700000000000}]}
                """)
    }

    @Test("A problem")
    func problem() throws {
        try expect(
            Problem(
                status: 429, title: "Too fast", code: .tooFast, detail: "Wait two seconds.", id: "p1",
                path: "$.mutations[3]", retryAfter: 2),
            is: """
                {"type": "about:blank", "title": "Too fast", "status": 429, "detail": "Wait two seconds.",
                 "code": "tooFast", "id": "p1", "path": "$.mutations[3]", "retryAfter": 2}
                """)
    }

    @Test("Law: An older version can read a message with additions of a newer version")
    func newerMessages() throws {
        let json = #"{"account": "\#(Self.account)", "token": "secret", "newer": {"a": [1]}}"#
        #expect(
            try JSONDecoder().decode(NewSession.self, from: Data(json.utf8))
                == NewSession(account: AccountID(uuid(0xA)), token: "secret"))
        let problem = #"{"type":"about:blank","title":"","status":418,"detail":"","code":"newer","id":"1"}"#
        #expect(try JSONDecoder().decode(Problem.self, from: Data(problem.utf8)).code.rawValue == "newer")
        let outcome = #"{"number":1,"result":"rejected","code":"newer"}"#
        #expect(try JSONDecoder().decode(MutationOutcome.self, from: Data(outcome.utf8)).code?.rawValue == "newer")
    }
}
