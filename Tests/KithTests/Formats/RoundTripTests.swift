import Foundation
import Kith
import KithModel
import Testing

@Suite("Writing a list and reading it") struct RoundTripTests {
    static let seeds: Range<UInt64> = 0..<300

    @Test("Preserves exactly what the format promises", arguments: ListFormat.allCases)
    func carriesWhatItPromises(format: ListFormat) throws {
        for seed in Self.seeds {
            var dice = DocumentDice(seed: seed)
            let document = format.carried(dice.document())
            let read = try format.read(format.write(document))
            #expect(read.exactly == document.exactly, "seed \(seed)")
            #expect(read.faults == [], "seed \(seed)")
        }
    }

    @Test(
        "Loses no item and no tick of any document, and changes nothing the second time",
        arguments: ListFormat.allCases)
    func losesNoItem(format: ListFormat) throws {
        for seed in Self.seeds {
            var dice = DocumentDice(seed: seed &+ 1_000_000)
            let document = dice.document()
            let once = try format.read(format.write(document))
            #expect(once.faults == [], "seed \(seed)")
            #expect(once.items.map(\.isTicked) == document.items.map(\.isTicked), "seed \(seed)")
            #expect(once.items.map(\.count) == document.items.map(\.count), "seed \(seed)")
            #expect(try format.read(format.write(once)).exactly == once.exactly, "seed \(seed)")
        }
    }

    @Test("Writes a blank title as untitled, because no reader accepts it", arguments: ListFormat.allCases)
    func blankTitles(format: ListFormat) throws {
        let document = ListDocument(items: [ItemDraft(title: " \n\u{2003}")])
        #expect(try format.read(format.write(document)).items.map(\.title) == ["(untitled)"])
    }

    @Test("Keeps an empty list empty", arguments: ListFormat.allCases)
    func emptyList(format: ListFormat) throws {
        #expect(try format.read(format.write(ListDocument())) == ListDocument())
    }

    @Test("Preserves the household list from each format to each other one")
    func household() throws {
        let household = try SampleFile.read("household.md")
        for format in [ListFormat.markdown, .icalendar, .json] {
            #expect(try format.read(format.write(household)) == household)
        }
        #expect(try ListFormat.csv.read(ListFormat.csv.write(household)).items == household.items)
    }

    @Test("Writes iCalendar the same from the same time and seed, and never the same identifier twice")
    func calendarsAreDeterministic() throws {
        let document = try SampleFile.read("household.md")
        func written(seed: UInt64) -> String {
            var dice = DocumentDice(seed: seed)
            let time = Timestamp(milliseconds: 1_772_366_400_000)
            return String(decoding: ListFormat.icalendar.write(document, at: time, using: &dice), as: UTF8.self)
        }
        #expect(written(seed: 1) == written(seed: 1))
        #expect(written(seed: 1).contains("\r\nDTSTAMP:20260301T120000Z\r\n"))
        let identifiers = written(seed: 1).split(separator: "\r\n").filter { $0.hasPrefix("UID:") }
        #expect(Set(identifiers).count == document.items.count)
    }
}
