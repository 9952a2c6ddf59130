import Foundation
import KithModel
import Testing

@Suite("The rules of fields") struct FieldTests {
    /// One row of the field rules: a field, the values that it takes and those that it does not.
    struct Row: CustomTestStringConvertible {
        var schema: Schema
        var field: String
        var good: [FieldValue]
        var bad: [FieldValue]
        var testDescription: String { "\(schema.collection).\(field)" }

        /// A text that may have `length` characters, no fewer than `least`.
        static func text(_ schema: Schema, _ field: String, _ length: Int, least: Int = 0, isRequired: Bool = false)
            -> Row
        {
            Row(
                schema: schema, field: field,
                good: [text("x", least), text("é", length), text("👍", length)]
                    + (isRequired ? [" \u{301}"] : [.null]),
                bad: [text("x", length + 1), "a\0b", 1, true, 1.5, [], [:]] + (least > 0 ? [""] : [])
                    + (isRequired ? [.null, " \u{3000}\n"] : []))
        }

        static func flag(_ schema: Schema, _ field: String) -> Row {
            Row(schema: schema, field: field, good: [true, false, .null], bad: [0, 1, "true", [:]])
        }

        static func choice(_ schema: Schema, _ field: String, _ words: [FieldValue], isRequired: Bool = false) -> Row {
            Row(
                schema: schema, field: field, good: words + (isRequired ? [] : [.null]),
                bad: ["", "other", true, 1] + (isRequired ? [.null] : []))
        }

        static func time(_ schema: Schema, _ field: String, isRequired: Bool = false) -> Row {
            Row(
                schema: schema, field: field, good: [0, .integer(.max)] + (isRequired ? [] : [.null]),
                bad: [-1, "1", 1.5, true] + (isRequired ? [.null] : []))
        }

        static func identifier(_ schema: Schema, _ field: String, isRequired: Bool = false) -> Row {
            Row(
                schema: schema, field: field, good: [.text(uuid(5).text)] + (isRequired ? [] : [.null]),
                bad: [.text(uuid(0xA).uuidString), "5", "", 5] + (isRequired ? [.null] : []))
        }

        static func text(_ character: String, _ count: Int) -> FieldValue {
            .text(String(repeating: character, count: count))
        }
    }

    static let roles = Row(
        schema: Member.schema, field: "role", good: ["viewer", "editor", "owner"],
        bad: ["Owner", "admin", "", 0, true, .null])
    static let rows: [Row] = [
        .text(SharedList.schema, "name", 200, least: 1, isRequired: true),
        .text(SharedList.schema, "kind", 40),
        .text(SharedList.schema, "theme", 100),
        Row(
            schema: SharedList.schema, field: "access", good: ["private", "shared", "public", .null],
            bad: ["open", "", 1]),
        .text(ListItem.schema, "title", 500, least: 1, isRequired: true),
        Row(
            schema: ListItem.schema, field: "count", good: [1, 9_999, .null],
            bad: [0, 10_000, -1, .integer(.min), .integer(.max), "1", true, 1.5]),
        .flag(ListItem.schema, "ticked"),
        Row(
            schema: ListItem.schema, field: "position", good: ["a0", "Zz", "a0b10"],
            bad: ["", "a", "0", "b00", "a0 ", "é", 0, true, .null]),
        .text(ListItem.schema, "category", 100),
        .text(ListItem.schema, "comment", 2_000),
        .text(ListItem.schema, "offer", 200),
        .identifier(ListItem.schema, "creator"),
        roles,
        .text(Member.schema, "name", 100),
        .text(Member.schema, "profileName", 201),
        Row(schema: Membership.schema, field: "role", good: roles.good, bad: roles.bad),
        Row(schema: Membership.schema, field: "position", good: ["a0", .null], bad: ["", "a", 0]),
    ]

    @Test(
        "Each field accepts exactly the values in its row, up to the boundary",
        arguments: rows + peopleRows + invitationRows + sharingRows)
    func values(row: Row) throws {
        let field = try #require(row.schema[row.field])
        for value in row.good { #expect(field.fault(in: value) == nil) }
        for value in row.bad {
            let sentence = field.fault(in: value)
            #expect(sentence?.hasPrefix("“\(row.field)” ") == true, "\(value) was taken")
        }
    }

    @Test("There is a row for each field")
    func rowsAreComplete() {
        let declared = Schema.all.flatMap { schema in schema.fields.map { "\(schema.collection).\($0.name)" } }
        let rows = Self.rows + Self.peopleRows + Self.invitationRows + Self.sharingRows
        #expect(rows.map(\.testDescription).sorted() == declared.sorted())
    }

    @Test("A combined character counts as its number of scalars")
    func scalars() throws {
        let title = try #require(ListItem.schema["title"])
        #expect(title.fault(in: .text(String(repeating: "e\u{301}", count: 250))) == nil)
        #expect(title.fault(in: .text(String(repeating: "e\u{301}", count: 251))) != nil)
    }

    @Test("A text has at most 64 combining marks in a row")
    func combiningMarks() throws {
        let run = String(repeating: "\u{301}", count: Limits.combiningMarks)
        let title = try #require(ListItem.schema["title"])
        #expect(title.fault(in: .text("e\(run)e\(run)")) == nil)
        #expect(title.fault(in: .text("e\(run)\u{327}")) == "“title” has more than 64 combining marks in a row.")
        let emails = try #require(Profile.schema["emails"])
        #expect(emails.fault(in: [["value": .text("e\(run)")]]) == nil)
        let sentence = emails.fault(in: [["value": .text("e\(run)\u{327}")]])
        #expect(sentence == "“emails” has an entry whose “value” has more than 64 combining marks in a row.")
    }

    @Test("A sum is shown within its range, whatever it adds up to")
    func shownSum() throws {
        let count = try #require(ListItem.schema["count"])
        #expect([-5, 0, 1, 42, 9_999, 10_000].map { count.shown(.integer($0)) } == [1, 1, 1, 42, 9_999, 9_999])
    }

    @Test("A field that was never set shows its standard value")
    func standard() {
        #expect(ListItem.schema["count"]?.shown(nil) == 1)
        #expect(ListItem.schema["ticked"]?.shown(.null) == false)
        #expect(SharedList.schema["kind"]?.shown(nil) == "shopping")
        #expect(SharedList.schema["access"]?.shown(nil) == "private")
        #expect(ListItem.schema["comment"]?.shown(nil) == .null)
        #expect(ListItem.schema["comment"]?.shown("green") == "green")
    }
}
