import KithModel
import Testing

@Suite("The rules of edits") struct FieldRulesTests {
    private static let item = ListItem.schema

    private static func code(
        _ change: Mutation.Change, to schema: Schema = item, creating: Bool = false, by role: Role? = .editor,
        isPerson: Bool = false
    ) -> RejectionCode? {
        FieldRules.fault(in: change, to: schema, creating: creating, by: Rights(role: role, isPerson: isPerson))?.code
    }

    /// The callers in the table of who may write, column by column.
    private static let people: [Rights] = [
        Rights(role: nil, isPerson: true), Rights(role: .viewer), Rights(role: .viewer, isPerson: true),
        Rights(role: .editor), Rights(role: .owner),
    ]

    @Test("Which roles may write")
    func writers() {
        let samples: [String: FieldValue] = [
            "list.name": "Groceries", "list.kind": "wish", "list.theme": "blue", "list.access": "public",
            "item.title": "Tea", "item.count": 2, "item.ticked": true, "item.position": "a0", "item.category": "Drinks",
            "item.comment": "green", "item.offer": "o-1", "item.creator": .text(uuid(5).text),
            "member.role": "editor", "member.name": "Ada", "membership.role": "owner", "membership.position": "a0",
        ]
        var table = "                     none viewer person editor owner\n"
        for schema in [SharedList.schema, ListItem.schema, Member.schema, Membership.schema] {
            for field in schema.fields {
                let name = "\(schema.collection).\(field.name)"
                table += Self.row(name, .set([field.name: samples[name] ?? .null]), schema)
            }
            table += Self.row("\(schema.collection).(newer)", .set(["newer": 1]), schema)
            table += Self.row("remove \(schema.collection)", .delete, schema)
        }
        #expect(
            table == """
                                     none viewer person editor owner
                list.name            no   no     no     yes    yes
                list.kind            no   no     no     yes    yes
                list.theme           no   no     no     yes    yes
                list.access          no   no     no     no     no
                list.(newer)         no   no     no     yes    yes
                remove list          no   no     no     no     yes
                item.title           no   no     no     yes    yes
                item.count           no   no     no     yes    yes
                item.ticked          no   no     no     yes    yes
                item.position        no   no     no     yes    yes
                item.category        no   no     no     yes    yes
                item.comment         no   no     no     yes    yes
                item.offer           no   no     no     yes    yes
                item.creator         no   no     no     no     no
                item.(newer)         no   no     no     yes    yes
                remove item          no   no     no     yes    yes
                member.role          no   no     no     no     yes
                member.name          no   no     yes    no     no
                member.profileName   no   no     no     no     no
                member.(newer)       no   no     yes    no     yes
                remove member        no   no     no     no     yes
                membership.role      no   no     no     no     no
                membership.position  no   no     no     no     yes
                membership.(newer)   no   no     no     no     yes
                remove membership    no   no     no     no     yes

                """)
    }

    @Test("A viewer learns that an editor may make the edit, and who can change that")
    func viewer() {
        let changes: [(Mutation.Change, Bool)] = [
            (.set(["title": "Tea", "position": "a0"]), true), (.set(["ticked": true]), false), (.delete, false),
            (.edit(set: [:], add: ["count": 1]), false),
        ]
        func sentences(_ role: Role?) -> Set<String> {
            Set(
                changes.compactMap { change, isNew in
                    FieldRules.fault(in: change, to: Self.item, creating: isNew, by: Rights(role: role))?.sentence
                })
        }
        let actions = ["add to this", "change “ticked”", "remove this", "change “count”"]
        #expect(
            sentences(.viewer) == Set(actions.map { "A viewer may not \($0); the owner can make you an editor." }))
        #expect(sentences(nil).count == 4 && sentences(nil).allSatisfy { $0.hasPrefix("You may not ") })
        #expect(sentences(.editor).isEmpty)
    }

    private static func row(_ name: String, _ change: Mutation.Change, _ schema: Schema) -> String {
        let verdicts = zip(people, [5, 7, 7, 7, 0]).map { rights, width in
            let fault = FieldRules.fault(in: change, to: schema, creating: false, by: rights)
            let word = fault == nil ? "yes" : fault?.code == .forbidden ? "no" : "\(fault?.code.rawValue ?? "")?"
            return word + String(repeating: " ", count: max(0, width - word.count))
        }
        return name + String(repeating: " ", count: 21 - name.count) + verdicts.joined() + "\n"
    }

    @Test("Which roles may create")
    func creators() {
        func roles(_ schema: Schema, _ fields: Fields) -> [Role] {
            Role.allCases.filter { Self.code(.set(fields), to: schema, creating: true, by: $0) == nil }
        }
        #expect(roles(SharedList.schema, ["name": "Groceries"]) == [.owner])
        #expect(roles(ListItem.schema, ["title": "Tea", "position": "a0"]) == [.editor, .owner])
        #expect(roles(Member.schema, ["role": "viewer"]) == [])
        #expect(roles(Membership.schema, ["role": "viewer"]) == [])
    }

    @Test("A new record comes with every required field")
    func required() {
        #expect(Self.code(.set(["title": "Tea", "position": "a0"]), creating: true) == nil)
        #expect(Self.code(.set(["title": "Tea"]), creating: true) == .invalid)
        #expect(Self.code(.set(["title": "Tea", "position": .null]), creating: true) == .invalid)
        #expect(Self.code(.set(["title": "Tea"])) == nil)
        #expect(Self.code(.set(["title": .null])) == .invalid)
    }

    @Test("An edit that changes nothing is invalid")
    func empty() {
        #expect(Self.code(.edit(set: [:], add: [:])) == .invalid)
    }

    @Test("Only sums can be added to, and by no more than the greatest sum")
    func additions() {
        func code(_ field: String, _ amount: Int64) -> RejectionCode? {
            Self.code(.edit(set: [:], add: [field: amount]))
        }
        #expect(code("count", Limits.sum) == nil)
        #expect(code("count", -Limits.sum) == nil)
        for amount in [Limits.sum + 1, -Limits.sum - 1, .min, .max] { #expect(code("count", amount) == .invalid) }
        for field in ["title", "ticked", "newer"] { #expect(code(field, 1) == .invalid) }
        #expect(Self.code(.edit(set: [:], add: ["count": 1]), by: .viewer) == .forbidden)
    }

    @Test("The fault names the field and says what is wrong with it")
    func sentences() {
        let fault = FieldRules.fault(
            in: .set(["count": 0, "title": "Tea"]), to: Self.item, creating: false, by: Rights(role: .editor))
        #expect(fault?.field == "count")
        #expect(fault?.sentence == "“count” is 0; it goes from 1 to 9999.")
    }

    @Test("Fields of a newer version pass within their limits")
    func unknownFields() {
        func code(_ names: some Sequence<String>, _ value: FieldValue = 1) -> RejectionCode? {
            Self.code(.set(Fields(uniqueKeysWithValues: names.map { ($0, value) })))
        }
        #expect(code((0..<Limits.unknownFields).map { "f\($0)" }) == nil)
        #expect(code((0...Limits.unknownFields).map { "f\($0)" }) == .invalid)
        #expect(code([String(repeating: "n", count: Limits.fieldName)]) == nil)
        #expect(code([String(repeating: "n", count: Limits.fieldName + 1)]) == .invalid)
        // Two bytes are the quotes.
        #expect(code(["f"], .text(String(repeating: "x", count: Limits.unknownField - 2))) == nil)
        #expect(code(["f"], .text(String(repeating: "x", count: Limits.unknownField - 1))) == .invalid)
    }

    @Test("A fault names at most 40 characters of an unknown field", arguments: [39, 40, 41])
    func longNames(length: Int) {
        let long = String(repeating: "é", count: length)
        for role in [Role.editor, .viewer] {
            let fault = FieldRules.fault(in: .set([long: 1]), to: Self.item, creating: false, by: Rights(role: role))
            #expect(fault?.field == String(repeating: "é", count: min(length, 40)))
        }
    }

    @Test("Fields of a newer version nest no deeper than their limit")
    func nesting() {
        func nested(_ depth: Int) -> FieldValue { (0..<depth).reduce(1) { value, _ in ["a": .array([value])] } }
        #expect(Limits.nesting == 8)
        #expect(Self.code(.set(["f": nested(4)])) == nil)
        #expect(Self.code(.set(["f": .array([nested(4)])])) == .invalid)
    }

    @Test("Trap: A field with an empty name replaces the common stamp", arguments: ["", "é", "a b", "a\0"])
    func namelessField(name: String) {
        #expect(Self.code(.set([name: 1])) == .invalid)
    }
}
