import KithModel
import Testing

@Suite("Schemas") struct SchemaTests {
    @Test("Every collection is declared once, and a field is found by its name")
    func once() {
        #expect(Set(Schema.all.map(\.collection)).count == Schema.all.count)
        #expect(
            Schema.all.map(\.collection.rawValue)
                == [
                    "list", "item", "member", "membership", "profile", "contact", "invitation", "shareable", "share",
                    "claim", "event", "referral", "reward",
                ])
        for schema in Schema.all {
            #expect(Set(schema.fields.map(\.name)).count == schema.fields.count)
            for field in schema.fields { #expect(schema[field.name] == field) }
        }
        #expect(ListItem.schema["newer"] == nil)
    }

    @Test("The parts of a record are what mutations can carry, and the first can create it")
    func parts() {
        var fields: Fields = ["title": "Tea", "position": "a0", "count": 2]
        for number in 0..<2 * Limits.unknownFields + 1 { fields["newer\(number)"] = .integer(Int64(number)) }
        let parts = ListItem.schema.parts(of: fields)
        #expect(parts.count == 3)
        for (index, part) in parts.enumerated() {
            let rights = Rights(role: .editor)
            #expect(FieldRules.fault(in: .set(part), to: ListItem.schema, creating: index == 0, by: rights) == nil)
        }
        let whole = parts.reduce(into: Fields()) { whole, part in whole.merge(part) { _, later in later } }
        #expect(whole == fields)
        #expect(parts.map(\.count).reduce(0, +) == fields.count)
        #expect(ListItem.schema.parts(of: ["title": "Tea"]) == [["title": "Tea"]])
    }

    @Test("A field's standard value keeps the field's own rules")
    func standards() {
        for field in Schema.all.flatMap(\.fields) where field.standard != .null {
            #expect(field.fault(in: field.standard) == nil)
        }
    }

    @Test("An item and a list write exactly the fields that editors may write")
    func editorsFields() {
        let item = ListItem(
            id: ItemID(uuid(1)), listID: ListID(uuid(2)), title: "Tea", position: .first,
            modified: Timestamp(milliseconds: 0))
        let list = SharedList(id: ListID(uuid(2)), name: "Groceries", modified: Timestamp(milliseconds: 0))
        for (fields, schema) in [(item.fields, ListItem.schema), (list.fields, SharedList.schema)] {
            #expect(Set(fields.keys) == Set(schema.fields.filter { $0.writer == .editor }.map(\.name)))
            let rights = Rights(role: .owner)
            #expect(FieldRules.fault(in: .set(fields), to: schema, creating: true, by: rights) == nil)
        }
    }

    @Test("Later roles include earlier ones")
    func roles() {
        #expect(Role.allCases == Role.allCases.sorted())
        #expect(Role.viewer < .editor && Role.editor < .owner && !(Role.owner < .owner))
    }
}
