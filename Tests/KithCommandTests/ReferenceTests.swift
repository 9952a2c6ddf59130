import Foundation
import KithCommand
import KithModel
import Testing

@Suite("A reference") struct ReferenceTests {
    static func id(_ number: UInt64) -> ListID {
        var random = Fixed(value: number)
        return ListID(.version7(time: Timestamp(milliseconds: 1_800_000_000_000), using: &random))
    }

    struct Fixed: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    let lists = ["Groceries", "Gifts", "groceries", "Café", "2", "Tool shed"].enumerated().map {
        Nameable(id: ReferenceTests.id(UInt64($0 + 1) << 40), name: $1, number: $0 + 1)
    }

    @Test(
        "means the closest reading: exact name, number, loose name, start of the name, start of the id",
        arguments: [
            ("Groceries", 0), ("groceries", 2), ("Gifts", 1), ("gifts", 1), ("cafe", 3), ("CAFÉ", 3), ("2", 4),
            ("1", 0),
            ("tool", 5), ("caf", 3),
        ])
    func closest(text: String, index: Int) throws {
        #expect(try Reference(text).resolve(among: lists, kind: "list").id == lists[index].id)
    }

    @Test("may be the whole id, or a unique start of it, with or without dashes") func ids() throws {
        let short = ShortIDs(lists.map(\.id))
        for list in lists {
            for text in [list.id.description, list.id.description.uppercased(), short[list.id]] {
                #expect(try Reference(text).resolve(among: lists, kind: "list").id == list.id)
            }
            let bare = list.id.description.replacing("-", with: "")
            #expect(try Reference(bare).resolve(among: lists, kind: "list").id == list.id)
        }
    }

    @Test("is not the start of an id if it is shorter than listings show: it could be a number or a word")
    func shortStarts() throws {
        let list = Nameable(id: Self.id(1), name: "Tea")
        let card = Nameable(id: "source-1/ada.vcf", name: "Ada")
        for length in 1..<8 {
            let digits = String(list.id.description.prefix(length))
            #expect(throws: Failure.self) { try Reference(digits).resolve(among: [list], kind: "list") }
            let letters = String(card.id.prefix(length))
            #expect(throws: Failure.self) { try Reference(letters).resolve(among: [card], kind: "contact") }
        }
        let digits = String(list.id.description.prefix(8))
        #expect(try Reference(digits).resolve(among: [list], kind: "list").id == list.id)
        #expect(try Reference("source-1").resolve(among: [card], kind: "contact").id == card.id)
        for dashes in ["--------", "-------0"] {
            #expect(throws: Failure.self) { try Reference(dashes).resolve(among: [list], kind: "list") }
        }
    }

    @Test(
        "that matches several things lists them, and selects none",
        arguments: ["GROCERIES", "g", String(ReferenceTests.id(1).description.prefix(8))])
    func ambiguous(text: String) throws {
        let failure = try #require(throws: Failure.self) { try Reference(text).resolve(among: lists, kind: "list") }
        #expect(failure.status == .notFound)
        #expect(failure.code == "ambiguous")
        #expect(failure.candidates.count > 1)
    }

    @Test("that matches nothing lists the nearest") func nearest() throws {
        let failure = try #require(throws: Failure.self) {
            try Reference("Grocreies").resolve(among: lists, kind: "list")
        }
        #expect(failure.code == "notFound")
        #expect(failure.candidates == ["Groceries", "groceries"])
        let far = try #require(throws: Failure.self) { try Reference("xyzzy").resolve(among: lists, kind: "list") }
        #expect(far.candidates.isEmpty)
    }

    @Test("does not need the white space and the invisible signs at the ends of a name, nor have them")
    func ends() throws {
        let names = [" milk", "Tea\u{A0}", "\u{200B}Bread\u{FEFF}", "milk"].enumerated().map {
            Nameable(id: Self.id(UInt64($0 + 1) << 40), name: $1, number: $0 + 1)
        }
        let readings = [(" milk", 0), ("milk", 3), ("tea", 1), ("Bread", 2), ("bre", 2), (" 2\n", 1)]
        for (text, index) in readings {
            #expect(try Reference(text).resolve(among: names, kind: "item").id == names[index].id)
        }
        #expect(throws: Failure.self) { try Reference(" \u{200B}").resolve(among: names, kind: "item") }
    }

    @Test("without letters matches nothing") func empty() {
        #expect(throws: Failure.self) { try Reference("").resolve(among: lists, kind: "list") }
        #expect(throws: Failure.self) { try Reference("-").resolve(among: lists, kind: "list") }
    }

    @Test("counts two swapped letters as one mistake") func distance() {
        #expect(Similarity(to: "milk").distance(to: Array("mlik")) == 1)
        #expect(Similarity(to: "milk").distance(to: Array("mik")) == 1)
        #expect(Similarity(to: "milk").distance(to: []) == 4)
        #expect(Similarity(to: "").distance(to: Array("tea")) == 3)
    }

    @Test("can be each short id, even if many ids were created at once") func shortIDs() throws {
        let ids = (0..<300).map { Self.id(UInt64($0)) }
        let short = ShortIDs(ids)
        #expect(Set(ids.map { short[$0] }).count == ids.count)
        for id in ids {
            #expect(ids.filter { $0.description.hasPrefix(short[id]) } == [id])
        }
    }

    @Test("Trap: Accounts made in one minute look alike – what is shown of them is their random end, and can be typed")
    func accounts() throws {
        let time = Timestamp(milliseconds: 1_800_000_000_000)
        var random = SplitMix64(seed: 4)
        let ids = (0..<300).map { AccountID(.version7(time: time + .seconds($0 / 10), using: &random)) }
        let short = ShortIDs(ids)
        let names = ids.map { Nameable(id: $0, name: nil) }
        #expect(Set(ids.map { short[$0].prefix(4) }).count > 290)
        for id in ids {
            #expect(short[id].count >= 8 && id.description.hasSuffix(short[id]))
            for text in [short[id], short[id].uppercased(), id.short, id.description] {
                #expect(try Reference(text).resolve(among: names, kind: "person").id == id)
            }
        }
        #expect(throws: Failure.self) { try Reference("01").resolve(among: names, kind: "person") }
    }

    @Test("is never the end of an id if a short word would match it, or for other ids") func words() throws {
        let account = AccountID("01900000-0000-7000-8000-00000000beef")!
        let list = ListID("01900000-0000-7000-8000-00000000beef")!
        let people = [Nameable(id: account, name: "Ada")]
        #expect(throws: Failure.self) { try Reference("beef").resolve(among: people, kind: "person") }
        #expect(try Reference("0000beef").resolve(among: people, kind: "person").id == account)
        let lists = [Nameable(id: list, name: "Tea")]
        #expect(throws: Failure.self) { try Reference("0000beef").resolve(among: lists, kind: "list") }
    }
}
