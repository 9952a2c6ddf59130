import Foundation
import Kith
import Testing

@Suite("A Markdown check list") struct CheckListTests {
    private func read(_ text: String) throws -> ListDocument { try ListFormat.markdown.read(Data(text.utf8)) }

    @Test("Has a name, categories, ticks, counts, comments and entries below entries")
    func whole() throws {
        let document = try read(
            """
            # Weekend ##

            - Loose
            ## Dairy
            - [ ] 3 x Milk
              the brown one

              not the blue one
              - from the market
              - [x] Oat milk
            * [X] Butter
            + Quark
            1. Skyr
            2) [ ] Feta
            ##
            - Tape
            # Late title
            \t- Indented
            """)
        #expect(document.faults.isEmpty)
        #expect(document.name == "Weekend")
        #expect(
            document.items == [
                ItemDraft(title: "Loose"),
                ItemDraft(
                    title: "Milk", count: 3, category: "Dairy",
                    comment: "the brown one\n\nnot the blue one\n- from the market"),
                ItemDraft(title: "Oat milk", isTicked: true, category: "Dairy"),
                ItemDraft(title: "Butter", isTicked: true, category: "Dairy"),
                ItemDraft(title: "Quark", category: "Dairy"),
                ItemDraft(title: "Skyr", category: "Dairy"), ItemDraft(title: "Feta", category: "Dairy"),
                ItemDraft(title: "Tape"), ItemDraft(title: "Indented", category: "Late title"),
            ])
    }

    @Test("Reads an entry below an entry without a box as a separate item")
    func bareEntries() throws {
        let document = try read("- Milk\n  - oat\n    from the shop\n- Tea")
        #expect(
            document.items == [
                ItemDraft(title: "Milk"), ItemDraft(title: "oat", comment: "from the shop"), ItemDraft(title: "Tea"),
            ])
    }

    @Test("Ignores rules and comments, and reports other content that does not belong to a list")
    func faults() throws {
        let document = try read(
            """
            ---
            <!-- for the writer -->
            Some prose.
            - [ ] Milk
            more prose
              indented below prose
            ***
            - [ ]
            - [ ] 0 x Tea
            ## \(String(repeating: "c", count: 101))
            #hashtag
            - [ ] Salt
            """)
        #expect(document.items == [ItemDraft(title: "Milk"), ItemDraft(title: "Salt")])
        #expect(document.faults.map(\.line) == [3, 5, 6, 8, 9, 10, 11])
    }

    @Test("Names the line of an item with a too long comment")
    func longComment() throws {
        let document = try read("- [ ] Milk\n  \(String(repeating: "c", count: 2_001))\n- [ ] Tea\n")
        #expect(document.items == [ItemDraft(title: "Tea")])
        #expect(document.faults.map(\.line) == [1])
        #expect(document.faults.first?.reason.contains("2001") == true)
    }

    @Test("Drops a name that is too long, and says so")
    func longName() throws {
        let document = try read("# \(String(repeating: "n", count: 201))\n- Milk")
        #expect(document.name == nil)
        #expect(document.faults.map(\.line) == [1])
    }

    @Test("Is written to be read by people")
    func writing() {
        let document = ListDocument(
            name: "C#",
            items: [
                ItemDraft(title: "Tape"),
                ItemDraft(title: "Milk", count: 3, category: "Dairy", comment: "one\n\n- [ ] two"),
                ItemDraft(title: "Tea (x2)", isTicked: true, category: "Dairy"), ItemDraft(title: "C:\\temp"),
            ])
        #expect(
            String(decoding: ListFormat.markdown.write(document), as: UTF8.self) == ##"""
                # C\#

                - [ ] Tape

                ## Dairy

                - [ ] 3 x Milk
                  one

                  \- [ ] two
                - [x] 1 x Tea (x2)

                ##

                - [ ] C:\\temp

                """##)
    }

    @Test("Trap: each line of a long comment copies those before it", .timeLimit(.minutes(15)))
    func manyLines() throws {
        let document = try read("- [ ] Tea\n" + String(repeating: "  a\n\n", count: 300_000) + "- [ ] Milk")
        #expect(document.items == [ItemDraft(title: "Milk")])
        #expect(document.faults.map(\.line) == [1])
    }

    @Test("Reads the household list of 200 items")
    func household() throws {
        let document = try SampleFile.read("household.md")
        #expect(document.faults.isEmpty)
        #expect(document.name == "Household")
        #expect(document.items.count == 200)
        #expect(Set(document.items.compactMap(\.category)).count == 13)
        #expect(document.items.count { $0.count > 1 } > 40)
        #expect(document.items.contains { $0.isTicked })
        let plants = document.items.first { $0.title.hasPrefix("Water the") }
        #expect(plants?.comment == "Tuesdays and Fridays.\n\nThe key hangs by the door.")
    }
}
