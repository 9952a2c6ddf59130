import Foundation
import Kith
import KithCommand
import enum KithCommand.ExitStatus
import KithModel
import Testing

@Suite("Output") struct OutputTests {
    @Test("is aligned in columns, also with wide characters, and omits empty columns") func columns() {
        var table = Table()
        table.add([.number(1), "Milk", "", "2 l"])
        table.add([.number(10), "牛乳", "", ""])
        table.add([.number(100), "Crème 🥛", "", "x"])
        #expect(table.lines(colour: false) == ["  1  Milk      2 l", " 10  牛乳", "100  Crème 🥛  x"])
    }

    @Test("is wrapped to the width of the terminal, words whole where they fit") func wrapping() {
        var table = Table()
        table.add(["Note", "Brings the cake, and the candles for it", "home"])
        table.add(["Link", "https://example.org/a/very/long/path", ""])
        table.add(["Phone", "112", "short code"])
        #expect(table.lines(colour: false).map(\.columns).max() == 58)
        let lines = table.lines(colour: false, width: 40)
        #expect(
            lines == [
                "Note   Brings the cake, and   home", "       the candles for it",
                "Link   https://example.org/a", "       /very/long/path", "Phone  112                    short code",
            ])
    }

    @Test("of the devices shows none as last used before its session began, though the server stores whole hours")
    func lastUse() {
        let hour = Timestamp(milliseconds: 1_800_000_000_000)
        func lastUse(created: Timestamp, lastUsed: Timestamp?) -> Timestamp? {
            SessionEntry(id: SessionID(UUID()), device: nil, created: created, lastUsed: lastUsed, isCurrent: true)
                .lastKnownUse
        }
        let began = hour + .seconds(22 * 60)
        #expect(lastUse(created: began, lastUsed: hour) == began)
        #expect(lastUse(created: began, lastUsed: hour + .seconds(3600)) == hour + .seconds(3600))
        #expect(lastUse(created: began, lastUsed: nil) == nil)
    }

    @Test("never contains characters that control a terminal or break a line") func printable() {
        #expect("a\u{1B}[2Jb\nc\u{202E}d\u{7F}\u{9B}".printable == "a␛[2Jb␊c\u{FFFD}d␡\u{FFFD}")
        #expect("Crème 👨‍👩‍👧 牛乳".printable == "Crème 👨‍👩‍👧 牛乳")
        var table = Table()
        table.add(["\u{1B}]0;title\u{7}"])
        #expect(table.lines(colour: false) == ["␛]0;title␇"])
    }

    @Test("has colours only if they are wanted") func colours() {
        #expect(TextStyle.faint.applied(to: "x", colour: false) == "x")
        #expect(TextStyle.faint.applied(to: "x", colour: true) == "\u{1B}[2mx\u{1B}[0m")
        #expect(TextStyle.plain.applied(to: "x", colour: true) == "x")
    }

    @Test("in JSON has every key, on one line, sorted") func json() throws {
        let list = SharedList(
            id: ListID("018bcfe5-6800-7000-8000-000000000001")!, name: "A\nB",
            modified: Timestamp(milliseconds: 1_772_366_400_123))
        #expect(
            try ListSummary(list: list, items: 2, ticked: 1).shape.line() == """
                {"access":"private","id":"018bcfe5-6800-7000-8000-000000000001","items":2,"kind":"shopping",\
                "modified":"2026-03-01T12:00:00.123Z","name":"A\\nB","role":"owner","theme":null,"ticked":1}
                """)
    }

    @Test("in JSON is canonical: equal answers are equal bytes") func canonical() throws {
        let texts =
            (0..<0x20).map { "a\(Character(Unicode.Scalar(UInt8($0))))b" } + [
                "\"\\/", "\u{7F}", "é\u{301}", "\u{2028}", "🥛",
            ]
        let fields: Fields = ["B": 1, "a": .array(texts.map(FieldValue.text)), "a_b": .number(0.5), "aB": .null]
        let shape: Shape = ["z": fields, "10": true, "9": nil as Int?, "Z": -7]
        #expect(
            try shape.line()
                == CanonicalForm.text(.object(["z": .object(fields), "10": true, "9": .null, "Z": -7])))
    }

    @Test("of a failure in JSON has code, sentence, status and candidates") func failure() throws {
        let failure = Failure(.notFound, "ambiguous", "Which?", candidates: ["a", "b"])
        #expect(
            try failure.shape.line()
                == #"{"error":{"candidates":["a","b"],"code":"ambiguous","sentence":"Which?","status":6}}"#)
    }

    @Test("keeps the numbers of items when only the open ones are shown") func numbers() {
        let listID = ListID("018bcfe5-6800-7000-8000-000000000001")!
        let time = Timestamp(milliseconds: 0)
        let items = ["Milk", "Tea", "Bread"].enumerated().map { index, title in
            ListItem(
                id: ItemID("018bcfe5-6800-7000-8000-00000000000\(index + 2)")!, listID: listID, title: title,
                count: index + 1, isTicked: index == 1, position: IndexKey.spread(3)[index], modified: time)
        }
        let list = SharedList(id: listID, name: "Groceries", access: .shared, role: .viewer, modified: time)
        let listing = ItemListing(list: ListSummary(list: list, items: 3, ticked: 1), items: items)
        #expect(
            listing.answer().lines(colour: false) == [
                "Groceries  2 of 3 open, shared, you are viewer", "1  [ ]  Milk", "2  [x]  Tea    ×2",
                "3  [ ]  Bread  ×3",
            ])
        #expect(
            listing.answer(onlyOpen: true).lines(colour: false).dropFirst() == ["1  [ ]  Milk", "3  [ ]  Bread  ×3"])
    }

    @Test("quotes a word for the shell only if necessary") func shellWord() {
        #expect("Groceries".shellWord == "Groceries")
        #expect("Tool shed".shellWord == "'Tool shed'")
        #expect("Ada's".shellWord == #"'Ada'\''s'"#)
    }

    @Test(
        "for every kind of error has its documented exit status",
        arguments: [
            (KithError.Code.offline, ExitStatus.offline), (.noServer, .offline), (.busy, .offline),
            (.unauthorized, .notSignedIn), (.forbidden, .refused), (.refused, .refused), (.tooMany, .refused),
            (.notFound, .notFound), (.invalid, .usage), (.diskFull, .diskFull), (.database, .failed),
            (KithError.Code(rawValue: "of a later version"), .failed),
        ])
    func statuses(code: KithError.Code, status: ExitStatus) {
        #expect(Failure(KithError(code, "Sentence."))?.status == status)
    }
}
