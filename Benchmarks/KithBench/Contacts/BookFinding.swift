import Foundation
import Kith
import KithAddressBook

/// Measures how fast a large address book finds people while the user types.
struct BookFinding {
    private let book: AddressBook
    private let names: [String]
    private let people: [Person]

    /// Prepares searches in `book`, which has loaded `count` cards of `file`.
    init(in book: AddressBook, of file: CardFile, count: Int) async throws {
        self.book = book
        people = stride(from: 0, to: count, by: count / 300).map(file.person)
        names = try await book.loaded().map(\.displayName)
    }

    func measure(into table: Table) {
        row("type-ahead: names, letter by letter", typed { "\($0.given) \($0.family)" }, into: table) {
            book.suggestions(for: $0)
        }
        row("type-ahead: numbers, digit by digit", typed(\.mobile), into: table) { book.suggestions(for: $0) }
        row("search: words of names", people.map(\.family), into: table) { book.search($0) }
        row(
            "search: words of any field", people.flatMap { [$0.street, $0.note, $0.email].compactMap(\.self) },
            into: table
        ) {
            book.search($0)
        }
        let misspelled = people.map(\.family).filter { $0.contains("ei") }.map { $0.replacing("ei", with: "ay") }
        row("search: names spelled otherwise", misspelled, into: table) { book.search($0) }
        row("the contact of a number", people.map(\.mobile), into: table) {
            [book.contact(withPhone: $0)].compactMap(\.self)
        }
    }

    /// Every prefix of the texts, as they are typed.
    private func typed(_ text: (Person) -> String) -> [String] {
        people.flatMap { person in
            let text = text(person)
            // A plus sign and zeros alone match nothing.
            return text.indices.map { String(text[...$0]) }.filter { $0.contains { $0 != "0" && $0 != "+" } }
        }
    }

    /// Searches for each text. Every text belongs to an existing person, so the row also reports texts that are not
    /// found.
    private func row(
        _ what: String, _ texts: [String], into table: Table, _ find: (String) -> [Contact]
    ) {
        var times: [Duration] = []
        var missed = 0
        for text in texts {
            times.append(processorTime { if find(text).isEmpty { missed += 1 } })
        }
        times.sort()
        table.row(
            "\(what) (\(texts.count)\(missed > 0 ? ", \(missed) not found" : ""))",
            milliseconds(times[times.count / 2]),
            milliseconds(times[times.count - 1]), plain(texts[0]))
    }

    /// The time of the same search over the names only, without an index.
    private func plain(_ text: String) -> String {
        milliseconds(
            processorTime {
                _ =
                    names.filter { $0.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil }.count
            })
    }

    private func milliseconds(_ time: Duration) -> String { String(format: "%.3f ms", time / .milliseconds(1)) }
}
