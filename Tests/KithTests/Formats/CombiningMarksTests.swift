import Foundation
import Kith
import Testing

/// Swift takes minutes to compare a text with so many combining marks. Without the rule, each of these tests does too.
@Suite("Trap: A file has many combining marks in a row – they cost their line, and the rest is read")
struct CombiningMarksTests {
    private static let marks = String(repeating: "\u{327}\u{301}", count: 50_000)
    private static let reason = "has more than 64 combining marks in a row."

    private func read(_ format: ListFormat, _ lines: String...) throws -> ListDocument {
        try format.read(Data(lines.joined(separator: "\n").utf8))
    }

    private func expect(
        _ document: ListDocument, _ titles: [String], faults: [Int], _ words: String = reason,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(document.items.map(\.title) == titles, sourceLocation: location)
        #expect(document.faults.map(\.line) == faults, sourceLocation: location)
        #expect(document.faults.allSatisfy { $0.reason.contains(words) }, sourceLocation: location)
    }

    @Test("In plain text and in check lists")
    func lines() throws {
        expect(try read(.text, "Milk", Self.marks, "Tea"), ["Milk", "Tea"], faults: [2])
        let list = try read(.markdown, "# \(Self.marks)", "- Milk", "- \(Self.marks)", "  \(Self.marks)", "- Tea")
        expect(list, ["Milk", "Tea"], faults: [1, 3, 4])
    }

    @Test("In the header and the cells of a table")
    func tables() throws {
        expect(try read(.csv, "\(Self.marks),count", "Milk,1"), ["Milk"], faults: [1], "The row \(Self.reason)")
        let table = try read(.csv, "title,count", "Milk,1", "\"a", "\(Self.marks)\",2", "Tea,3")
        expect(table, ["Milk", "Tea"], faults: [3], "The row \(Self.reason)")
    }

    @Test("In the properties and the parameters of a calendar, also on folded lines and in quoted-printable")
    func calendars() throws {
        let folded = repeatElement(String(repeating: "\u{327}\u{301}", count: 16), count: 3_000)
        let quoted = String(repeating: "=CC=A7=CC=81", count: 50_000)
        for property in [
            "UID:\(folded.joined(separator: "\n "))", "STATUS:\(Self.marks)", "COMMENT;X=\(Self.marks):a",
            "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:\(quoted)", "SUMMARY;CHARSET=UTF-8:\(Self.marks)",
        ] {
            let calendar = try read(
                .icalendar, "BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Milk", "END:VTODO", "BEGIN:VTODO", property,
                "SUMMARY:Jam", "END:VTODO", "END:VCALENDAR")
            expect(calendar, ["Milk"], faults: [6], "The line \(Self.reason)")
        }
    }

    @Test("In the names and the values of JSON, also as escapes")
    func json() throws {
        for marks in [Self.marks, String(repeating: #"\u0327\u0301"#, count: 50_000)] {
            let list = try read(
                .json, #"{"items":[{"title":"Milk","\#(marks)":1},"#, #"{"title":"\#(marks)"},"#,
                #""\#(marks)","Tea"]}"#)
            expect(list, ["Milk", "Tea"], faults: [2, 3], Self.reason.replacing("has ", with: ""))
        }
    }

    @Test("The format of a file without an ending is recognised")
    func recognition() {
        let file = Data("\(Self.marks)\n- [ ] Milk\n".utf8)
        #expect(ListFormat.recognised(fileName: "list", content: file) == .text)
        let list = Data("- [ ] Milk\n\(Self.marks)\n".utf8)
        #expect(ListFormat.recognised(fileName: "list", content: list) == .markdown)
    }
}
