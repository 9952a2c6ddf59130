import Foundation
import Kith
import Testing

@Suite("A table") struct TableTests {
    private func read(_ text: String) throws -> ListDocument { try ListFormat.csv.read(Data(text.utf8)) }

    @Test("From Excel, with semicolons and a mark, is read by its header")
    func excel() throws {
        let document = try SampleFile.read("todo.csv")
        #expect(document.faults.isEmpty)
        #expect(
            document.items.prefix(4) == [
                ItemDraft(title: "Milk", count: 3, isTicked: true, category: "Dairy", comment: "semi-skimmed"),
                ItemDraft(title: "Bread; sliced", category: "Bakery"),
                ItemDraft(
                    title: "Crème fraîche", category: "Dairy", comment: "for the \"flammkuchen\",\r\nand the soup"),
                ItemDraft(title: "Screws, 4 × 40 mm", count: 200, category: "DIY"),
            ])
    }

    @Test("That is partly broken is read as far as possible, and the other lines are faults")
    func partlyBroken() throws {
        let document = try SampleFile.read("partly-broken.csv")
        #expect(
            document.items == [
                ItemDraft(title: "Milk", count: 3, isTicked: true, category: "Dairy"),
                ItemDraft(title: "Eggs", count: 12, category: "Dairy"),
                ItemDraft(title: "Tea", count: 2, category: "Drinks", comment: "green\nand black"),
                ItemDraft(title: "Salt", isTicked: true, category: "Baking"),
                ItemDraft(title: "Sugar", category: "Baking"),
            ])
        let reasons = document.faults.map { "\($0.line): \($0.reason)" }
        #expect(
            reasons == [
                "3: The count “many” is not a whole number.",
                "4: There is no title.",
                "5: “perhaps” says neither done nor open; the item is kept as open.",
                "6: The row has bytes that are not UTF-8.",
                "7: A quote stands inside a field that does not begin with one.",
                "8: “count” is 0; it goes from 1 to 9999.",
                "9: Text follows the quote that closes a field.",
                "12: The row has 7 fields, the header 5.",
                "13: “title” has 501 characters; at most 500 fit.",
                "15: The quote that opens here is never closed.",
            ])
        #expect(document.faults[3].text == "Caf\u{FFFD},1,no,Drinks,saved in another encoding")
    }

    @Test(
        "Knows its columns by their common names, in any order and any case",
        arguments: [
            "Title,Count,Ticked,Category,Comment", "NAME;Quantity;Done;Section;Note",
            "item\tqty\tcompleted\theading\tnotes",
            "\"Summary\",\"Amount\",\"Status\",\"Aisle\",\"Description\"",
            " description , count, checked ,category,note",
        ])
    func headers(header: String) throws {
        let sign = header.contains(";") ? ";" : header.contains("\t") ? "\t" : ","
        let row = ["Milk", "3", "yes", "Dairy", "brown"]
        let expected = ItemDraft(title: "Milk", count: 3, isTicked: true, category: "Dairy", comment: "brown")
        let document = try read(header + "\n" + row.joined(separator: sign))
        #expect(document == ListDocument(items: [expected]))
        let names = header.components(separatedBy: sign)
        let reversed = [names, row].map { $0.reversed().joined(separator: sign) }.joined(separator: "\n")
        #expect(try read(reversed) == document)
    }

    @Test("Without a header has titles with counts in the first column")
    func noHeader() throws {
        let document = try read("Milk,white\n3 x Tea,green\n\"Salt, fine\"")
        #expect(
            document.items == [
                ItemDraft(title: "Milk"), ItemDraft(title: "Tea", count: 3), ItemDraft(title: "Salt, fine"),
            ])
    }

    @Test("Trap: a later row has more fields than the first, and they vanish – their columns are named")
    func widerRows() throws {
        let document = try read("Milk\nEggs,12,organic\nTea,,,,\n")
        #expect(document.items.map(\.title) == ["Milk", "Eggs", "Tea"])
        #expect(document.unreadColumns == ["column 2", "column 3"])
        let unnamed = try read("title,,count,\nMilk,white,2,\n")
        #expect(unnamed.items == [ItemDraft(title: "Milk", count: 2)])
        #expect(unnamed.unreadColumns == ["column 2"])
    }

    @Test("Trap: the notes of a Todoist export become its titles – its content does")
    func todoist() throws {
        let document = try read("TYPE,CONTENT,DESCRIPTION,PRIORITY\ntask,Paint the shed,two coats,4\n")
        #expect(document.items == [ItemDraft(title: "Paint the shed", comment: "two coats")])
        #expect(document.unreadColumns == ["PRIORITY"])
    }

    @Test("Trap: sections, notes and settings of a Todoist export become items – they are the category and the comment")
    func todoistRows() throws {
        let document = try read(
            """
            TYPE,CONTENT,DESCRIPTION,PRIORITY
            meta,view_style=list,,
            ,,,
            note,to the project,,
            task,Call,,4
            section,Garden,,
            task,Paint the shed,two coats,4
            note,not in the rain,,
            note,\(String(repeating: "a", count: 2_000)),,
            task,Sow,,1
            """)
        #expect(
            document.items == [
                ItemDraft(title: "Call"),
                ItemDraft(title: "Paint the shed", category: "Garden", comment: "two coats\nnot in the rain"),
                ItemDraft(title: "Sow", category: "Garden"),
            ])
        #expect(document.faults.map(\.line) == [4, 9])
        #expect(document.faults.first?.reason == "No item comes before this note.")
        // In a table of another program, the column is not known.
        let other = try read("type,content\nfood,Milk\n")
        #expect(other.items == [ItemDraft(title: "Milk")])
        #expect(other.unreadColumns == ["type"])
        let notes = try read("type,title,content\nnote,Milk,fresh\nnote,Tea,green\n")
        #expect(notes.items == [ItemDraft(title: "Milk", comment: "fresh"), ItemDraft(title: "Tea", comment: "green")])
        #expect(notes.unreadColumns == ["type"])
    }

    @Test("Trap: tasks from Asana lose their ticks and sections – the time of completion is a tick")
    func asana() throws {
        let document = try read(
            """
            Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Status,Notes
            1,2026-02-01,2026-03-01,2026-03-02,Paint the shed,Garden,On track,two coats
            2,2026-02-01,,2026-03-02,Sow,Garden,,
            3,2026-02-01,,2026-03-02,Weed,Garden,At risk,
            4,2026-02-01,soon,2026-03-02,Water,Garden,No,
            """)
        #expect(
            document.items == [
                ItemDraft(title: "Paint the shed", isTicked: true, category: "Garden", comment: "two coats"),
                ItemDraft(title: "Sow", category: "Garden"), ItemDraft(title: "Weed", category: "Garden"),
                ItemDraft(title: "Water", category: "Garden"),
            ])
        // A status of the user's own is no fault, because the time of completion is empty.
        #expect(document.faults.map(\.line) == [5])
        #expect(document.unreadColumns == ["Task ID", "Created At", "Last Modified"])
    }

    @Test("Trap: a backup of TickTick has rows above its header, which become items – they are faults")
    func preamble() throws {
        let document = try read(
            """
            "Date: 2026-03-01+0000"
            "Version: 7.1"
            "Status: \n0 Normal\n1 Completed\n2 Archived"
            "List Name","Title","Content","Status","Completed Time"
            "Home","Paint the shed","","1","2026-03-01T12:00:00+0000"
            "Home","Sow","in rows","0",""
            """)
        #expect(
            document.items == [
                ItemDraft(title: "Paint the shed", isTicked: true), ItemDraft(title: "Sow", comment: "in rows"),
            ])
        #expect(document.faults.map(\.line) == [1, 2, 3])
        #expect(Set(document.faults.map(\.reason)) == ["This row is above the header."])
        #expect(document.unreadColumns == ["List Name"])
        // An item that is called like a column does not begin a table.
        #expect(try read("Milk\nTask\nTea").items.map(\.title) == ["Milk", "Task", "Tea"])
    }

    @Test("Does not split titles if a column has the count")
    func countsHaveAColumn() throws {
        #expect(try read("title,count\n3 x Tea,2").items == [ItemDraft(title: "3 x Tea", count: 2)])
        #expect(try read("title,note\n3 x Tea,").items == [ItemDraft(title: "Tea", count: 3)])
    }

    @Test("Has its delimiter in the first line, as Excel knows it", arguments: ["sep=;", "SEP=;", "\"sep=;\""])
    func separatorLine(line: String) throws {
        let document = try read("\(line)\r\ntitle;note\r\nMilk, fresh;a, b, c\r\nTea;\"open\r\n")
        #expect(document.items == [ItemDraft(title: "Milk, fresh", comment: "a, b, c")])
        #expect(document.faults.map(\.line) == [4])
    }

    @Test(
        "Reads a date as done, and words by their meaning",
        arguments: [
            ("2026-03-01 12:00", true), ("3/1/2026", true), ("01.03.26", true), ("COMPLETED", true), ("x", true),
            ("1", true), ("2026-03-01T12:00:00.000Z", true), ("2026-03-01T12:00", true), ("20260301", true),
            ("20260301T120000Z", true), ("2026/3/1", true), ("1.3.2026, 12:00", true),
            ("Cancelled", true), ("archived", true), ("100%", true), ("Waiting on someone else", false),
            ("Deferred", false), ("On hold", false), ("Normal", false), ("Blocked", false),
            ("", false), ("needs-action", false), ("No", false), ("0", false),
        ])
    func ticks(word: String, isTicked: Bool) throws {
        #expect(try read("title;completed\nMilk;\(word)").items == [ItemDraft(title: "Milk", isTicked: isTicked)])
    }

    @Test(
        "Trap: a spreadsheet translates what Kith has written – true and false are read in other languages",
        arguments: [
            ("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("VERDADERO", "FALSO"), ("VERO", "FALSO"), ("VERDADEIRO", "FALSO"),
            ("WAAR", "ONWAAR"), ("SANT", "FALSKT"), ("SAND", "FALSK"), ("SANN", "USANN"), ("TOSI", "EPÄTOSI"),
            ("PRAWDA", "FAŁSZ"), ("PRAVDA", "NEPRAVDA"), ("IGAZ", "HAMIS"), ("DOĞRU", "YANLIŞ"), ("ИСТИНА", "ЛОЖЬ"),
        ])
    func translated(yes: String, no: String) throws {
        let document = try read("title;count;ticked\nMilk;1;\(yes)\nTea;1;\(no)\n")
        #expect(document.items == [ItemDraft(title: "Milk", isTicked: true), ItemDraft(title: "Tea")])
        #expect(document.faults.isEmpty)
    }

    @Test("Reads a whole number with decimals as a count, but no number with separated thousands")
    func decimals() throws {
        let document = try read("title;count\nMilk;2.0\nTea;3,00\nSalt;2,5\nSugar;2,000\nJam;-2\n")
        #expect(document.items == [ItemDraft(title: "Milk", count: 2), ItemDraft(title: "Tea", count: 3)])
        #expect(document.faults.map(\.line) == [4, 5, 6])
    }

    @Test("Loses one row to a quote that is never closed, not the rest")
    func openQuote() throws {
        let rows = (1...2_000).map { $0 == 7 ? "\"Row 7,1" : "Row \($0),1" }
        let document = try read("title,count\n" + rows.joined(separator: "\n"))
        #expect(document.items.count == 1_999)
        #expect(document.faults.map(\.line) == [8])
    }

    @Test("Reports a row with too many fields")
    func fieldLimit() throws {
        let document = try read("title,count\nMilk,2\n" + String(repeating: ",", count: 1_000) + "\nTea,1")
        #expect(document.items.map(\.title) == ["Milk", "Tea"])
        #expect(document.faults.map(\.line) == [3])
    }

    @Test(
        "Trap: a title that a member has set runs as a formula in a spreadsheet – it is text, and comes back as it was")
    func formulas() throws {
        let texts = [
            "=HYPERLINK(\"https://example.com\")", "+1", "-5", "@SUM(A1)", "\t=1", "\r=1", "'=x", "''=x", "'''-", "'",
            "'a",
            "a=b",
        ]
        let document = ListDocument(
            items: texts.map { ItemDraft(title: $0, category: $0, comment: $0, offer: $0) })
        let written = ListFormat.csv.write(document)
        #expect(try ListFormat.csv.read(written).exactly == document.exactly)
        let fields = String(decoding: written, as: UTF8.self).unicodeScalars.split { $0 == "," || $0 == "\n" }
        let signs = fields.compactMap { field in field.first { $0 != "\"" } }
        #expect(!signs.contains { "=+-@\t\r".unicodeScalars.contains($0) })
        #expect(try read("title\n'-5").items == [ItemDraft(title: "-5")])
    }

    @Test("Is written with a header, and with quotes only where necessary")
    func writing() {
        let item = ItemDraft(
            title: "Milk, \"fresh\"", count: 3, isTicked: true, category: "Dairy", comment: "a\nb", offer: " o")
        #expect(
            String(decoding: ListFormat.csv.write(ListDocument(name: "N", items: [item])), as: UTF8.self)
                == "title,count,ticked,category,comment,offer\r\n\"Milk, \"\"fresh\"\"\",3,true,Dairy,\"a\nb\",\" o\"\r\n"
        )
    }
}
