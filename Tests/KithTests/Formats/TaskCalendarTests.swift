import Foundation
import Kith
import KithModel
import Testing

@Suite("Tasks of a calendar") struct TaskCalendarTests {
    private func read(_ lines: String...) throws -> ListDocument {
        try ListFormat.icalendar.read(Data(lines.joined(separator: "\r\n").utf8))
    }

    @Test("From Apple Reminders keep name, order, notes and subtasks")
    func appleReminders() throws {
        let document = try SampleFile.read("apple-reminders.ics")
        #expect(
            document
                == ListDocument(
                    name: "Weekend trip",
                    items: [
                        ItemDraft(
                            title: "Pack the tent",
                            comment:
                                """
                                The blue one, not the red one.
                                It is in the cellar; the key hangs behind the door.
                                Due: 2026-02-20 18:00 Europe/Berlin
                                Priority: 5
                                """),
                        ItemDraft(title: "tent pegs", count: 12, comment: "Part of: Pack the tent"),
                        ItemDraft(title: "Book the hut", isTicked: true),
                        ItemDraft(title: "Crème brûlée torch 🔥"),
                    ]
                ).leaving("VALARM"))
    }

    @Test("From Tasks.org are sorted by creation time if they have no order")
    func tasksOrg() throws {
        let document = try SampleFile.read("tasks-org.ics")
        #expect(
            document
                == ListDocument(items: [
                    ItemDraft(title: "Sow the tomatoes", category: "Garden", comment: "Priority: 1"),
                    ItemDraft(
                        title: "Paint the shed", category: "Garden",
                        comment: "Two coats, the second one after a day.\nDue: 2026-03-20\nPriority: 9"),
                    ItemDraft(
                        title: "brushes", count: 2, isTicked: true, comment: "Priority: 9\nPart of: Paint the shed"),
                ]).leaving("further CATEGORIES", "PERCENT-COMPLETE other than 0 and 100", "VALARM", "RRULE"))
    }

    @Test("From Nextcloud keep the file's order, with lines folded inside a word")
    func nextcloud() throws {
        let document = try SampleFile.read("nextcloud-tasks.ics")
        #expect(
            document
                == ListDocument(
                    name: "Haushalt",
                    items: [
                        ItemDraft(title: "Wäsche waschen, dann aufhängen", category: "Bad"),
                        ItemDraft(
                            title: "Wollsachen getrennt", isTicked: true,
                            comment: "Part of: Wäsche waschen, dann aufhängen"),
                        ItemDraft(
                            title: "Fenster putzen", isTicked: true,
                            comment: """
                                Reihenfolge:
                                - Küche
                                - Bad

                                Der Eimer steht im Keller, hinten links neben den Fahrrädern; wer ihn nimmt, \
                                stellt ihn bitte zurück.
                                """),
                    ]
                ).leaving("further CATEGORIES"))
    }

    @Test("Have the first of several categories; a comma within one does not separate it") func categories() throws {
        func category(_ line: String) throws -> ListDocument {
            try read("BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Tea", line, "END:VTODO", "END:VCALENDAR")
        }
        let whole = ListDocument(items: [ItemDraft(title: "Tea", category: "hot, cold")])
        #expect(try category("CATEGORIES:hot\\, cold") == whole)
        #expect(try category("CATEGORIES:hot\\, cold,drinks") == whole.leaving("further CATEGORIES"))
    }

    @Test(
        "Are ticked according to their status or, without one, their completion",
        arguments: [
            ("STATUS:COMPLETED", true), ("STATUS:CANCELLED", true), ("STATUS:IN-PROCESS", false),
            ("COMPLETED:20260301T120000Z", true), ("PERCENT-COMPLETE:100", true), ("PERCENT-COMPLETE:99", false),
            ("COMPLETED:20260301T120000Z\r\nSTATUS:NEEDS-ACTION", false), ("X-A:b", false),
        ])
    func ticks(property: String, isTicked: Bool) throws {
        let document = try read("BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:A", property, "END:VTODO", "END:VCALENDAR")
        #expect(document.items == [ItemDraft(title: "A", isTicked: isTicked)])
    }

    @Test("Are read with names in any case and any parameters")
    func parameters() throws {
        let document = try read(
            "begin:vcalendar", "Begin:VTodo", "summary;LANGUAGE=de;X-A=\"b:c;d\":A\\, b\\; c\\\\n", "end:vtodo",
            "end:vcalendar")
        #expect(document.items == [ItemDraft(title: "A, b; c\\n")])
    }

    @Test("May be folded inside a character")
    func foldedCharacter() throws {
        var bytes = Data("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:Caf".utf8)
        bytes += [0xC3, 0x0D, 0x0A, 0x20, 0xA9]
        bytes += Data("\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)
        #expect(try ListFormat.icalendar.read(bytes) == ListDocument(items: [ItemDraft(title: "Café")]))
    }

    @Test("That are cut off, lack a summary or break a rule are named, and the others read")
    func faults() throws {
        let document = try read(
            "BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Cut by the next", "BEGIN:VTODO", "SUMMARY:Whole", "no property",
            "END:VTODO", "BEGIN:VTODO", "STATUS:COMPLETED", "END:VTODO", "END:VTODO", "BEGIN:VTODO",
            "SUMMARY:0 x Tea", "END:VTODO", "BEGIN:VTODO", "SUMMARY:" + String(repeating: "a", count: 501), "END:VTODO",
            "BEGIN:VTODO", "SUMMARY:Cut by the end of the file", "DESCRIPTION:half a sen")
        #expect(document.items == [ItemDraft(title: "Whole")])
        #expect(document.faults.map(\.line) == [2, 6, 8, 11, 13, 16, 18])
        #expect(document.faults[0].text == "SUMMARY:Cut by the next")
        #expect(document.faults[0].reason == "The task that begins here has no END:VTODO.")
        #expect(document.faults[2].reason == "There is no title.")
    }

    @Test("Trap: titles of vCalendar 1.0 are read as their code – quoted-printable and charsets are decoded")
    func oldVersion() throws {
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:1.0", "BEGIN:VTODO",
            "SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A4se kaufen=", " und=", "=20Brot 2=3D2",
            "DESCRIPTION;QUOTED-PRINTABLE:one=0D=0Atwo=", "END:VTODO", "BEGIN:VTODO",
            "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:M=FCll =80", "STATUS:COMPLETED", "END:VTODO",
            "BEGIN:VTODO", "SUMMARY;CHARSET=Windows-1252:Caf\u{E9}", "END:VTODO", "BEGIN:VTODO",
            "SUMMARY;CHARSET=X-OWN:\u{E9}", "END:VTODO", "END:VCALENDAR", "",
        ]
        // Each character is one byte.
        let bytes = Data(lines.joined(separator: "\r\n").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let document = try ListFormat.icalendar.read(bytes)
        #expect(
            document.items == [
                ItemDraft(title: "Käse kaufen und Brot 2=2", comment: "one\ntwo"),
                ItemDraft(title: "Müll €", isTicked: true), ItemDraft(title: "Café"),
            ])
        #expect(document.faults.map(\.line) == [17])
        #expect(document.faults.map(\.reason) == ["The charset of the line is not known. Save the file in UTF-8."])
    }

    @Test("Charsets are known by any spelling of their names", arguments: ["iso8859_1", "\"Latin-1\"", "x-cp1252"])
    func charsetNames(name: String) throws {
        var bytes = Data("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY;CHARSET=\(name):Caf".utf8) + Data([0xE9])
        bytes += Data("\nEND:VTODO\nBEGIN:VTODO\nSUMMARY;CHARSET=utf8:T".utf8) + Data([0xE9])
        bytes += Data("\nEND:VTODO\nEND:VCALENDAR".utf8)
        let document = try ListFormat.icalendar.read(bytes)
        #expect(document.items == [ItemDraft(title: "Café")])
        #expect(document.faults.map(\.line) == [6])
        #expect(document.faults.map(\.reason) == ["The line has bytes that are not UTF-8."])
    }

    @Test("Equals signs at the ends of other lines are no soft breaks")
    func equalsElsewhere() throws {
        let document = try read("BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:a=", "X-A:=41", "END:VTODO", "END:VCALENDAR")
        #expect(document.items == [ItemDraft(title: "a=")])
    }

    @Test("With bytes that are not UTF-8 are named once")
    func invalidBytes() throws {
        var bytes = Data("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Caf".utf8) + Data([0xE9])
        bytes += Data("\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:Tea\nEND:VTODO\nEND:VCALENDAR".utf8)
        let document = try ListFormat.icalendar.read(bytes)
        #expect(document.items == [ItemDraft(title: "Tea")])
        #expect(document.faults.map(\.line) == [3])
    }

    @Test("That are each other's parents are read once each")
    func circles() throws {
        var lines = ["BEGIN:VCALENDAR"]
        for index in 0..<5_000 {
            lines += [
                "BEGIN:VTODO", "UID:\(index)", "SUMMARY:T\(index)", "RELATED-TO:\((index + 1) % 5_000)", "END:VTODO",
            ]
        }
        let document = try ListFormat.icalendar.read(Data(lines.joined(separator: "\n").utf8))
        #expect(Set(document.items.map(\.title)).count == 5_000)
        #expect(document.items.count == 5_000)
    }

    @Test("Keep due date, priority and parent, and write them as properties again")
    func notes() throws {
        let properties = [
            "DUE;VALUE=DATE:20260220", "DUE:20260220T180030Z", "DUE;TZID=Europe/Berlin:20260220T180000",
            "DUE:20260220T180000", "DUE;TZID=\"(UTC+01:00) Amsterdam, Berlin\":20260220T180000",
            "DUE;TZID=W. Europe Standard Time:20260220T180000",
        ]
        let lines = [
            "Due: 2026-02-20", "Due: 2026-02-20 18:00:30 UTC", "Due: 2026-02-20 18:00 Europe/Berlin",
            "Due: 2026-02-20 18:00", "Due: 2026-02-20 18:00 (UTC+01:00) Amsterdam, Berlin",
            "Due: 2026-02-20 18:00 W. Europe Standard Time",
        ]
        for (property, line) in zip(properties, lines) {
            let document = try read(
                "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:2 x Trip", "END:VTODO", "BEGIN:VTODO", "SUMMARY:A",
                "DESCRIPTION:a", property, "PRIORITY:3", "RELATED-TO:1", "END:VTODO", "END:VCALENDAR")
            #expect(document.faults.isEmpty && document.unreadColumns.isEmpty)
            #expect(document.items.map(\.comment) == [nil, "a\n\(line)\nPriority: 3\nPart of: Trip"])
            let written = ListFormat.icalendar.write(document)
            let text = String(decoding: written, as: UTF8.self)
            for wanted in [property, "PRIORITY:3", "RELATED-TO:", "DESCRIPTION:a"] {
                #expect(text.contains("\r\n\(wanted)"), "\(wanted)")
            }
            #expect(try ListFormat.icalendar.read(written) == document)
        }
    }

    @Test("Are written in their order, and comments come back to the byte, whatever looks like a note in them")
    func noteLikeComments() throws {
        let pieces = [
            "Due: 2026-02-20", "Due: 2026-02-20 18:00", "Due: 2026-02-20 18:00:00", "Due: tomorrow",
            "Due: 2026-02-20 18:00 a:b", "Priority: 5", "Priority: 05", "Priority: 0", "Part of: A", "Part of: B",
            "Part of:  A", "a", "", " ", "\\n",
        ]
        for seed in 0..<400 as Range<UInt64> {
            var dice = SplitMix64(seed: seed)
            let items = (0..<5).map { _ in
                let lines = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
                    pieces.randomElement(using: &dice) ?? ""
                }
                let comment = lines.joined(separator: "\n")
                return ItemDraft(
                    title: ["A", "B", "C"].randomElement(using: &dice) ?? "A", comment: comment.isEmpty ? nil : comment)
            }
            let document = ListDocument(items: items)
            let read = try ListFormat.icalendar.read(ListFormat.icalendar.write(document))
            #expect(read.exactly == document.exactly, "seed \(seed)")
        }
    }

    @Test("Report by line what cannot be kept: events, invalid dates, and notes that are too long") func unkept()
        throws
    {
        let long = String(repeating: "a", count: 1_990)
        let document = try read(
            "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "SUMMARY:Party", "DTSTART:20260220T180000", "BEGIN:VALARM",
            "SUMMARY:An alarm", "END:VALARM", "END:VEVENT", "BEGIN:VTODO", "SUMMARY:Tea", "DUE:soon", "PRIORITY:high",
            "LOCATION:Vienna", "X-A:b", "END:VTODO", "BEGIN:VTODO", "SUMMARY:Long", "DESCRIPTION:" + long,
            "DUE;VALUE=DATE:20260220", "END:VTODO", "BEGIN:VJOURNAL", "END:VJOURNAL", "END:VCALENDAR")
        #expect(document.items.map(\.title) == ["Tea", "Long"])
        #expect(document.items.map { $0.comment?.count } == [nil, 1_990])
        #expect(document.faults.map(\.line) == [2, 12, 13, 20, 22])
        #expect(document.faults[0].text == "SUMMARY:Party")
        #expect(document.faults[0].reason == "This is an event; only tasks are imported.")
        #expect(document.unreadColumns == ["LOCATION"])
        // Of events alone nothing becomes an item, and each is named.
        let events = try read("BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Party", "END:VEVENT", "END:VCALENDAR")
        #expect(events.items.isEmpty && events.faults.map(\.line) == [2])
    }

    @Test("Trap: a second note, title or parent, or a half-done task, vanishes – notes are joined, the others named")
    func repeated() throws {
        let document = try read(
            "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:Trip", "END:VTODO", "BEGIN:VTODO", "SUMMARY:Tea",
            "SUMMARY:Coffee", "DESCRIPTION:green", "DESCRIPTION:", "DESCRIPTION:or black", "RELATED-TO:1",
            "RELATED-TO:2", "DUE;VALUE=DATE:20260220", "DUE;VALUE=DATE:20260221", "PERCENT-COMPLETE:40",
            "PERCENT-COMPLETE:0", "END:VTODO", "END:VCALENDAR")
        #expect(
            document.items == [
                ItemDraft(title: "Trip"),
                ItemDraft(title: "Tea", comment: "green\nor black\nDue: 2026-02-20\nPart of: Trip"),
            ])
        #expect(
            document.unreadColumns == [
                "further SUMMARY", "further parents", "further DUE", "PERCENT-COMPLETE other than 0 and 100",
            ])
        #expect(document.faults.isEmpty)
    }

    @Test(
        "Trap: a date that does not exist becomes a due date – it is a fault, and the task is kept",
        arguments: [
            ("20260231", nil), ("20261345T256199", nil), ("20260001", nil), ("20260100", nil), ("19000229", nil),
            ("20260228T240000", nil), ("20260228T236000", nil), ("20260228T235961", nil), ("20000229", "2000-02-29"),
            ("20261231T235960Z", "2026-12-31 23:59:60 UTC"),
        ] as [(String, String?)])
    func impossibleDays(value: String, due: String?) throws {
        let document = try read(
            "BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Tea", "DUE:\(value)", "END:VTODO", "END:VCALENDAR")
        #expect(document.items == [ItemDraft(title: "Tea", comment: due.map { "Due: \($0)" })])
        #expect(document.faults.map(\.line) == (due == nil ? [4] : []))
    }

    @Test("An event without an end is named, and takes no task with it") func truncatedEvent() throws {
        let before = try read(
            "BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Party", "BEGIN:VTODO", "SUMMARY:Tea", "END:VTODO",
            "END:VCALENDAR")
        #expect(before.items.map(\.title) == ["Tea"] && before.faults.map(\.line) == [2])
        let last = try read(
            "BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Tea", "END:VTODO", "BEGIN:VEVENT", "SUMMARY:Party")
        #expect(last.items.map(\.title) == ["Tea"] && last.faults.map(\.text) == ["SUMMARY:Party"])
    }

    @Test("Trap: ends of components that never began look through all that are open", .timeLimit(.minutes(15)))
    func openComponents() throws {
        let open = Array(repeating: "BEGIN:A", count: 100_000) + Array(repeating: "END:B", count: 100_000)
        let lines = ["BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Tea"] + open + ["END:VTODO", "END:VCALENDAR"]
        let document = try ListFormat.icalendar.read(Data(lines.joined(separator: "\n").utf8))
        #expect(document.items == [ItemDraft(title: "Tea")])
        #expect(document.unreadColumns == ["A"])
    }

    @Test("Trap: millions of tasks without titles fill the memory – beyond the limit, the file is refused")
    func manyUntitled() {
        let tasks = String(repeating: "BEGIN:VTODO\nEND:VTODO\n", count: ListFormat.itemLimit + 1)
        let failure = #expect(throws: ListFormat.Failure.self) { try read("BEGIN:VCALENDAR", tasks, "END:VCALENDAR") }
        #expect(failure?.code == .tooMany)
    }

    @Test("An end closes the components in it, and one that has not begun closes nothing")
    func nestedComponents() throws {
        let document = try read(
            "BEGIN:VCALENDAR", "BEGIN:VTODO", "BEGIN:A", "BEGIN:B", "END:C", "SUMMARY:In B", "END:A", "END:B",
            "SUMMARY:Tea", "END:VTODO", "END:VCALENDAR")
        #expect(document.items == [ItemDraft(title: "Tea")])
    }

    @Test("Are not read from a file that is not a calendar")
    func noCalendar() {
        let failure = #expect(throws: ListFormat.Failure.self) { try read("Milk", "Note: bread") }
        #expect(failure?.code == .notThisFormat)
        #expect(failure?.sentence.contains("BEGIN:VCALENDAR") == true)
    }

    @Test("Are written with the properties that other programs need, in lines of at most 75 bytes")
    func writing() throws {
        var dice = DocumentDice(seed: 1)
        let item = ItemDraft(
            title: "Milk, fresh", count: 3, isTicked: true, category: "Dairy; cold",
            comment: String(repeating: "ü", count: 100) + "\nend", offer: "o-1")
        let data = ListFormat.icalendar.write(
            ListDocument(name: "Shop", items: [item]), at: Timestamp(milliseconds: 0), using: &dice)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 75 })
        let lines = Set(text.replacing("\r\n ", with: "").components(separatedBy: "\r\n"))
        let wanted: Set = [
            "VERSION:2.0", "PRODID:-//Kith//Kith//EN", "X-WR-CALNAME:Shop", "DTSTAMP:19700101T000000Z",
            "SUMMARY:3 x Milk\\, fresh", "CATEGORIES:Dairy\\; cold", "STATUS:COMPLETED", "COMPLETED:19700101T000000Z",
            "PERCENT-COMPLETE:100", "X-APPLE-SORT-ORDER:1", "X-KITH-OFFER:o-1",
        ]
        #expect(wanted.subtracting(lines).isEmpty)
        #expect(text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("\r\nEND:VCALENDAR\r\n"))
    }
}

extension ListDocument {
    /// The same, of a file that has also what no item has a place for.
    fileprivate func leaving(_ unread: String...) -> ListDocument {
        var document = self
        document.unreadColumns = unread
        return document
    }
}
