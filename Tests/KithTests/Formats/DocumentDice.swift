import Foundation
import Kith
import KithModel
import Testing

/// Documents thrown by a seed: the same seed, the same document.
struct DocumentDice: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    /// What the five grammars trip over, and what people write.
    static let pieces = [
        "a", "Milk", "é", "e\u{301}", "\u{301}", "ß", "漢字", "🧅", "👩‍👩‍👧", "\u{202E}", "\"", "\"\"", "'", ",", ";", ":",
        "\\",
        "\\n", "\\,", "#", " #", "# ", "- ", "* ", "+", "[x] ", "[ ] ", "☐ ", "✓\u{FE0F} ", "x", "×", " ×3", " (x3)",
        "3 x ", "1 x ", "0 x ", "12", "1. ", "2) ", " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", "\u{2028}", "\u{85}",
        "\u{1}", "\u{B}", "{", "}", "[", "]", "<!--", "-->", "---", "=", "true", "BEGIN:VTODO", "END:VTODO\n", "sep=;",
        "\u{FEFF}", "\u{A0}", "\\u0041", "\u{10FFFF}",
    ]

    /// A text that is not blank, of at most `limit` scalars, and now and then of exactly so many.
    mutating func text(upTo limit: Int) -> String {
        var scalars = String.UnicodeScalarView()
        let length =
            Int.random(in: 0..<20, using: &self) == 0 ? limit : Int.random(in: 1...min(limit, 24), using: &self)
        while scalars.count < length {
            scalars.append(contentsOf: (Self.pieces.randomElement(using: &self) ?? "a").unicodeScalars)
        }
        let text = String(String.UnicodeScalarView(scalars.prefix(length)))
        return text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? "t" : text
    }

    private mutating func perhaps(upTo limit: Int) -> String? {
        Bool.random(using: &self) ? text(upTo: limit) : nil
    }

    /// A document of up to a dozen items that keep the rules of their fields.
    mutating func document() -> ListDocument {
        var document = ListDocument(name: perhaps(upTo: 200))
        let categories = [nil, text(upTo: 100), text(upTo: 100)]
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            document.items.append(
                ItemDraft(
                    title: text(upTo: 500), count: [1, 1, 1, 2, 12, 9_999].randomElement(using: &self) ?? 1,
                    isTicked: Bool.random(using: &self), category: categories.randomElement(using: &self) ?? nil,
                    comment: perhaps(upTo: 2_000), offer: perhaps(upTo: 200)))
        }
        return document
    }
}

extension ListFormat {
    /// What this format promises to carry of a document: its doc comment, told once more in code.
    func carried(_ document: ListDocument) -> ListDocument {
        var document = document
        if self == .text || self == .csv { document.name = nil }
        document.name = carriedName(document.name)
        document.items = document.items.map { item in
            var item = item
            switch self {
            case .text:
                item.title = item.title.words
                (item.category, item.comment, item.offer) = (nil, nil, nil)
            case .markdown:
                item.title = item.title.words
                item.category = item.category?.words.orNil
                item.comment = item.comment?.paragraphs.orNil
                item.offer = nil
            case .icalendar:
                item.title = item.title.withoutEdges.printed
                item.category = item.category?.printed.withoutEdges.orNil
                item.comment = item.comment?.printed
                item.offer = item.offer?.printed
            case .csv, .json: break
            }
            return item
        }
        return document
    }

    private func carriedName(_ name: String?) -> String? {
        switch self {
        case .markdown: name?.words.orNil
        case .icalendar: name?.printed
        default: name
        }
    }
}

extension String {
    fileprivate var orNil: String? { isEmpty ? nil : self }

    fileprivate var withoutEdges: String {
        var scalars = unicodeScalars[...]
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(scalars)
    }

    /// On one line, without white space at the edges.
    fileprivate var words: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 })).withoutEdges
    }

    private var withLineFeeds: String {
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if scalar != "\n" || previous != "\r" {
                scalars.append(scalar)
            }
            previous = scalar
        }
        return String(scalars)
    }

    /// Lines without white space at their edges, and no empty ones around them.
    fileprivate var paragraphs: String {
        var lines = withLineFeeds.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).withoutEdges }
        while lines.first == "" { lines.removeFirst() }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// Without control characters other than tab and line feed.
    fileprivate var printed: String {
        String(
            String.UnicodeScalarView(
                withLineFeeds.unicodeScalars.map {
                    ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || $0.value == 0x7F ? "\u{FFFD}" : $0
                }))
    }
}

extension ListDocument {
    /// All that can differ, as bytes: `==` calls a letter with its accent and the two apart equal.
    var exactly: [[UInt8]] {
        var texts: [String?] = [name]
        for item in items {
            texts += [item.title, "\(item.count) \(item.isTicked)", item.category, item.comment, item.offer]
        }
        return texts.map { $0.map { Array($0.utf8) } ?? [0] }
    }
}

/// A file of the folder `Samples`.
struct SampleFile: CustomTestStringConvertible {
    let name: String

    static let all = [
        "household.md", "apple-reminders.ics", "tasks-org.ics", "nextcloud-tasks.ics", "todo.csv", "partly-broken.csv",
    ].map(SampleFile.init)

    var testDescription: String { name }

    var data: Data {
        get throws {
            // Formats, KithTests, Tests, and the package.
            var root = URL(filePath: #filePath).resolvingSymlinksInPath()
            for _ in 0..<4 { root.deleteLastPathComponent() }
            return try Data(contentsOf: root.appending(path: "Samples/\(name)"))
        }
    }

    /// The list in it, read in the format that is recognised.
    static func read(_ name: String) throws -> ListDocument {
        let data = try SampleFile(name: name).data
        let format = try #require(ListFormat.recognised(fileName: name, content: data))
        return try format.read(data)
    }
}
