import Foundation
import Kith
import Testing

@Suite("A list in JSON") struct ItemsObjectTests {
    private func read(_ text: String) throws -> ListDocument { try ListFormat.json.read(Data(text.utf8)) }

    @Test("Is an object, an array of items or an array of titles")
    func shapes() throws {
        let milk = ItemDraft(
            title: "Milk", count: 3, isTicked: true, category: "Dairy", comment: "a\nb", offer: "o")
        let item =
            #"{"title":"Milk","count":3,"ticked":true,"category":"Dairy","comment":"a\nb","offer":"o","id":[1,{}]}"#
        #expect(
            try read(#"{"name":"Shop","version":1.5e3,"items":[\#(item)]}"#).items == [milk])
        #expect(try read(#"{"name":"Shop","version":1.5e3,"items":[\#(item)]}"#).name == "Shop")
        #expect(try read(#"{"version":1.5e3,"items":[\#(item)]}"#).unreadColumns == ["version", "id"])
        #expect(try read("[\(item)]").items == [milk])
        #expect(
            try read(#"["Bread", "3 x Tea"]"#).items == [ItemDraft(title: "Bread"), ItemDraft(title: "Tea", count: 3)])
        #expect(
            try read(#"{"items":[{"title":"A","count":null,"comment":""}],"name":null}"#).items == [
                ItemDraft(title: "A")
            ])
    }

    @Test("Trap: tasks from Google lose their ticks and notes – the keys of other programs are known")
    func otherNames() throws {
        let document = try read(
            #"""
            {"kind":"tasks#tasks","items":[
              {"id":"1","title":"Call","status":"completed","completed":"2026-03-01T12:00:00.000Z","notes":"at noon"},
              {"id":"2","title":"Write","status":"needsAction"},
              {"name":"Milk","quantity":3,"done":true,"section":"Dairy"},
              {"title":"Tea","name":"T","status":"perhaps","comment":"green","notes":"black"}
            ]}
            """#)
        #expect(
            document.items == [
                ItemDraft(title: "Call", isTicked: true, comment: "at noon"), ItemDraft(title: "Write"),
                ItemDraft(title: "Milk", count: 3, isTicked: true, category: "Dairy"),
                ItemDraft(title: "Tea", comment: "green"),
            ])
        #expect(document.faults.map(\.line) == [5])
        #expect(document.unreadColumns == ["id", "name", "notes"])
    }

    @Test("Trap: a name becomes the comment and a content the title – keys have the names of columns, in their order")
    func columnNames() throws {
        let long = String(repeating: "a", count: 2_001)
        let document = try read(
            #"""
            [{"name":"Milk","content":"fresh","Completed_At":"2026-03-01"},
            {"description":"Buy tea","status":"pending","Aisle":"Drinks"},
            {"Name":"Jam","Quantity":2,"Done":1},
            {"item":"Salt","status":"At risk","completed":false},
            {"title":"Nuts","quantity":0,"notes":"\#(long)","NAME":["N"]}]
            """#)
        #expect(
            document.items == [
                ItemDraft(title: "Milk", isTicked: true, comment: "fresh"),
                ItemDraft(title: "Buy tea", category: "Drinks"), ItemDraft(title: "Jam", count: 2, isTicked: true),
                ItemDraft(title: "Salt"), ItemDraft(title: "Nuts"),
            ])
        #expect(document.faults.map(\.line) == [5, 5])
        #expect(document.unreadColumns == ["NAME"])
    }

    @Test("Has the list's kind and theme, by the rules of their fields")
    func kindAndTheme() throws {
        let document = ListDocument(name: "Shop", kind: "wish", theme: "sea", items: [ItemDraft(title: "Tea")])
        #expect(try ListFormat.json.read(ListFormat.json.write(document)) == document)
        let long = String(repeating: "k", count: 41)
        let faulty = try read(#"{"kind":"\#(long)","theme":7,"items":["Tea"]}"#)
        #expect(faulty.kind == nil && faulty.theme == nil && faulty.faultCount == 2)
        let google = try read(#"{"kind":"tasks#taskLists","items":["Tea"]}"#)
        #expect(google.kind == nil && google.faultCount == 0)
    }

    @Test("Is read with all escapes")
    func escapes() throws {
        let items = try read(#"["\"\\\/\b\f\n\r\t\u00e9\ud83e\uddc5\u0301"]"#).items
        #expect(items.map(\.title) == ["\"\\/\u{8}\u{C}\n\r\té🧅\u{301}"])
    }

    @Test("Names each item that breaks a rule by its line")
    func faults() throws {
        let document = try read(
            """
            {
              "name": 7,
              "items": [
                {"title": "Milk"},
                {"title": "Tea", "count": "many"},
                {"title": "Salt", "count": 0},
                {"count": 2},
                {
                  "title": "Jam", "ticked": "yes"},
                12, [], "",
                {"title": "Sugar", "count": 2.5},
                "Honey"
              ]
            }
            {}
            """)
        #expect(document.items.map(\.title) == ["Milk", "Honey"])
        #expect(document.faults.map(\.line) == [2, 5, 6, 7, 8, 10, 10, 10, 11, 15])
        #expect(document.faults[1].text == #"{"title": "Tea", "count": "many"},"#)
        #expect(document.faults[1].reason == "“count” is not a whole number.")
    }

    @Test("Has nested items after their parent, each once, even before a syntax error")
    func nested() throws {
        let lists = #"[{"items":["Bread",{"title":"Tea","items":["Cup",{"title":"Pot"}]}],"title":"Food"},"Soap"]"#
        let document = try read(lists)
        #expect(document.items.map(\.title) == ["Food", "Bread", "Tea", "Cup", "Pot", "Soap"])
        #expect(document.faultCount == 0)
        let untitled = try read(#"{"items":[{"label":"Food","items":["Bread","Bread"]},{"title":""}]}"#)
        #expect(untitled.items.map(\.title) == ["Bread", "Bread"])
        #expect(untitled.faultCount == 2 && untitled.unreadColumns == ["label"])
        let broken = try read(#"[{"title":"Food","items":["Bread","#)
        #expect(broken.items.map(\.title) == ["Bread"])
        #expect(broken.faultCount == 1)
        let deep = String(repeating: #"{"title":"a","items":["#, count: 10_000)
        #expect(throws: Never.self) { try read("[\"Milk\"," + deep) }
    }

    @Test("Counts unreadable entries beyond the reported faults, and accepts whole numbers in any spelling")
    func counts() throws {
        let faulty = Array(repeating: "{}", count: ListFormat.faultLimit + 234).joined(separator: ",")
        let document = try read("[\"Milk\",\(faulty)]")
        #expect(document.items.count == 1)
        #expect(document.faults.count == ListFormat.faultLimit)
        #expect(document.faultCount == ListFormat.faultLimit + 234)
        let whole = try read(#"[{"title":"A","count":2.0},{"title":"B","count":1e1},{"title":"C","count":2.5}]"#)
        #expect(whole.items.map(\.count) == [2, 10])
        #expect(whole.faultCount == 1)
    }

    @Test("Counts many entries that are no items, wherever they are, without the text of each")
    func manyFaults() throws {
        let numbers = Array(repeating: "1", count: 20_000).joined(separator: ",")
        let document = try read(#"["Milk",{"title":"Food","items":["Bread",\#(numbers)]},{},\#(numbers)]"#)
        #expect(document.items.map(\.title) == ["Milk", "Food", "Bread"])
        #expect(document.faultCount == 40_001)
    }

    @Test("Names an item that is not UTF-8 and reads on")
    func invalidBytes() throws {
        let document = try ListFormat.json.read(Data("[\"Caf".utf8) + Data([0xE9]) + Data("\",\n\"Tea\"]".utf8))
        #expect(document.items == [ItemDraft(title: "Tea")])
        #expect(document.faults.map(\.line) == [1])
    }

    @Test("Trap: half of a surrogate pair costs the rest of the file – it costs one item")
    func loneSurrogates() throws {
        let document = try read(
            #"""
            ["\ud83d",
            "a\udda0",
            "\ud83d\u0041",
            {"title":"Tea","comment":"\ud83d"},
            {"\ud83d":1,"title":"Jam"}]
            """#)
        #expect(document.items == [ItemDraft(title: "Jam")])
        #expect(document.faults.map(\.line) == [1, 2, 3, 4])
        #expect(try read(#"["\ud83e\uddc5"]"#).items == [ItemDraft(title: "🧅")])
    }

    @Test("With a syntax error gives the items before the error, and its line")
    func breaksOff() throws {
        for (end, line) in [
            ("", 2), ("\n \"Te", 3), ("\n {\"title\": \"Tea\", ", 3), ("\n oops]", 3), ("\n \"a\\q\"]", 3),
        ] {
            let document = try read("[\"Milk\",\n \"Jam\"," + end)
            #expect(document.items.map(\.title) == ["Milk", "Jam"])
            #expect(document.faults.map(\.line) == [line], "\(end)")
        }
    }

    @Test(
        "Is refused as a whole if nothing of it is a list",
        arguments: ["", "Milk", "{\"title\": \"Milk\"}", "[oops]", "{\"items\": 3}", "\"Milk\"", "[\"a", "{]"])
    func noList(text: String) {
        let failure = #expect(throws: ListFormat.Failure.self) { try read(text) }
        #expect(failure?.code == .notThisFormat)
    }

    @Test("Is refused if it is nested too deeply")
    func deep() {
        let text = #"[{"x":"# + String(repeating: "[", count: 1_000_000)
        #expect(throws: ListFormat.Failure.self) { try read(text) }
    }

    @Test("Is written one item a line")
    func writing() throws {
        let items = [
            ItemDraft(title: "Milk \"x\"", count: 3, isTicked: true, comment: "a\nb\u{1}"), ItemDraft(title: "Tea"),
        ]
        let data = ListFormat.json.write(ListDocument(name: "Shop", items: items))
        #expect(
            String(decoding: data, as: UTF8.self) == #"""
                {
                  "name": "Shop",
                  "items": [
                    {"title": "Milk \"x\"", "count": 3, "ticked": true, "comment": "a\nb\u0001"},
                    {"title": "Tea"}
                  ]
                }

                """#)
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    }
}
