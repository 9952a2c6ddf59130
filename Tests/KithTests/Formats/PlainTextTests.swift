import Foundation
import Kith
import Testing

@Suite("Plain text") struct PlainTextTests {
    private func item(_ line: String) throws -> ItemDraft? {
        let document = try ListFormat.text.read(Data(line.utf8))
        #expect(document.faults.isEmpty)
        return document.items.first
    }

    @Test(
        "Recognises a count only if it can hardly be anything else",
        arguments: [
            ("3 x Milk", 3, "Milk"), ("3x Milk", 3, "Milk"), ("3 × Milk", 3, "Milk"), ("3× Milk", 3, "Milk"),
            ("3 X Milk", 3, "Milk"), ("Milk ×3", 3, "Milk"), ("Milk × 3", 3, "Milk"), ("Milk (x3)", 3, "Milk"),
            ("Milk (× 3)", 3, "Milk"), ("2 x 500 g flour", 2, "500 g flour"), ("1 x 3 x Milk", 1, "3 x Milk"),
        ])
    func counts(line: String, count: Int, title: String) throws {
        #expect(try item(line) == ItemDraft(title: title, count: count))
    }

    @Test(
        "Does not change a title if a number may mean something else",
        arguments: [
            "2 Milk", "Milk (2)", "Milk 2", "BMW x3", "500 g flour", "2xl shirt", "Photo 10 × 15", "3 x", "x Milk",
            "7up",
            "Lens (2x)", "×3", "100% juice", "#1 in the charts", "[y] Milk", "-Milk",
        ])
    func titles(line: String) throws {
        #expect(try item(line) == ItemDraft(title: line))
    }

    @Test(
        "Removes bullets and boxes",
        arguments: [
            ("- Milk", false), ("• Milk", false), ("[ ] Milk", false), ("[x] Milk", true), ("- [X] Milk", true),
            ("☐ Milk", false), ("☑️ Milk", true), ("✓ Milk", true), ("  *   Milk  ", false),
        ])
    func bullets(line: String, isTicked: Bool) throws {
        #expect(try item(line) == ItemDraft(title: "Milk", isTicked: isTicked))
    }

    @Test("Names lines without a title and with a count out of range, and reads the rest")
    func faults() throws {
        let document = try ListFormat.text.read(
            Data("Milk\n\n- [ ]\n0 x Tea\n10000 x Salt\n99999999999999999999 x A\nJam".utf8))
        #expect(document.items.map(\.title) == ["Milk", "Jam"])
        #expect(document.faults.map(\.line) == [3, 4, 5, 6])
        #expect(document.faults[0].reason == "There is no title.")
        #expect(document.faults[1].reason.contains("1 to 9999"))
        #expect(document.faults[1].text == "0 x Tea")
    }

    @Test("Is written as plainly as it can be")
    func writing() {
        let document = ListDocument(
            name: "Left out",
            items: [
                ItemDraft(title: "Milk", count: 3), ItemDraft(title: "Tea", isTicked: true),
                ItemDraft(title: "Two\nlines"),
                ItemDraft(title: "3 x Milk"), ItemDraft(title: "- dash", isTicked: true), ItemDraft(title: "[x]"),
            ])
        #expect(
            String(decoding: ListFormat.text.write(document), as: UTF8.self) == """
                3 x Milk
                [x] Tea
                Two lines
                1 x 3 x Milk
                [x] - dash
                1 x [x]

                """)
    }
}
