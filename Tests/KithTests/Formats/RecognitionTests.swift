import Foundation
import Kith
import Testing

@Suite("The format of a file") struct RecognitionTests {
    @Test(
        "Is recognised by the file name, even before the file is written",
        arguments: [
            ("a.md", ListFormat.markdown), ("A.MARKDOWN", .markdown), ("folder.d/a.csv", .csv), ("a.ics", .icalendar),
            ("a.b.json", .json), ("a.txt", .text),
        ])
    func names(name: String, format: ListFormat) {
        #expect(ListFormat.recognised(fileName: name, content: Data()) == format)
    }

    @Test(
        "Is recognised by the content if the name does not tell", arguments: ["", "list", "list.txt", "list.unknown"])
    func contents(name: String) throws {
        let document = ListDocument(items: [
            ItemDraft(title: "Milk", count: 2, category: "Dairy"), ItemDraft(title: "Tea"),
        ])
        for format in ListFormat.allCases where format != .text {
            let data = format.write(document)
            #expect(ListFormat.recognised(fileName: name, content: data) == format)
            #expect(ListFormat.recognised(fileName: name, content: [0xEF, 0xBB, 0xBF] + data) == format)
        }
        let plain = Data("[x] Milk\n{not JSON}\nName of the rose, Eco\n- bread\n#1".utf8)
        #expect(ListFormat.recognised(fileName: name, content: plain) == (name == "list.unknown" ? nil : .text))
    }

    @Test("Is recognised for each sample, whatever its name")
    func samples() throws {
        for sample in SampleFile.all {
            let named = try ListFormat.recognised(fileName: sample.name, content: sample.data)
            #expect(named != nil)
            #expect(try ListFormat.recognised(fileName: "", content: sample.data) == named)
        }
    }

    @Test("Is not guessed for empty files, binary files, or text of other kinds")
    func unknown() {
        #expect(ListFormat.recognised(fileName: "", content: Data()) == nil)
        #expect(ListFormat.recognised(fileName: "list", content: Data()) == nil)
        #expect(ListFormat.recognised(fileName: "a.png", content: Data([0x89, 0x50, 0, 0])) == nil)
        #expect(ListFormat.recognised(fileName: "a.txt", content: Data([0x89, 0x50, 0, 0])) == nil)
        #expect(ListFormat.recognised(fileName: "a.html", content: Data("<p>Milk</p>".utf8)) == nil)
    }
}
