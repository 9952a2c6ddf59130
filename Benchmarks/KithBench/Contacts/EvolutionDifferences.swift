import Foundation
import KithCards
import KithModel

/// Lists where Evolution and Kith read the sample address book differently. `Benchmarks/Peers/README.md` explains each
/// kind.
struct EvolutionDifferences {
    let folder: URL

    /// A way in which the two readings of a property can differ.
    private enum Kind: String, CaseIterable {
        case charset = "letters of Windows-1252 are lost"
        case lineEnds = "line ends in quoted-printable stay CR LF"
        case verticalTab = "a vertical tab stays in the text"
        case colon = "a backslash stays before a colon"
        case dataURI = "a photo in a data: URI stays a text"
        case doubledLineEnds = "a value ends at the blank line before its fold"
        case foldInLetter = "a letter with a fold in it is lost"
        case nested = "the properties of a card within a card are the outer one’s"
        case other = "not explained"

        init(_ ours: [String], _ theirs: [String]) {
            let (our, their) = (ours.joined(separator: ";"), theirs.joined(separator: ";"))
            self =
                switch true {
                case their.contains("ï¿½"): .charset
                case their.replacing("\r\n", with: "\n") == our: .lineEnds
                case their.replacing("\u{0B}", with: "\n") == our: .verticalTab
                case their.replacing(#"\:"#, with: ":") == our: .colon
                case our.hasPrefix("base64:") && their.hasPrefix("data:"): .dataURI
                case their.contains("\u{FFFD}"): .foldInLetter
                case our.hasPrefix(their): .doubledLineEnds
                default: .other
                }
        }
    }

    private typealias Property = (name: String, values: [String])

    func show() throws {
        let table = Table("what Evolution reads otherwise in Samples/AddressBook", "properties", "for example")
        var (examples, total): ([Kind: [String]], Int) = ([:], 0)
        for file in try files() {
            let cards = VCardReader.cards(in: try Data(contentsOf: file)).cards
            guard let readings = try evolutionsReading(of: cards) else { return table.row("not here", "", "") }
            precondition(readings.count == cards.count)
            for (card, theirs) in zip(cards, readings) {
                let ours = card.properties.map(reading)
                total += ours.count
                func add(_ kind: Kind, _ name: String) {
                    examples[kind, default: []].append("\(file.lastPathComponent), line \(card.line), \(name)")
                }
                guard ours.map(\.name) == theirs.map(\.name) else {
                    add(ours.contains { $0.name == "AGENT" } ? .nested : .other, "all")
                    continue
                }
                for (our, their) in zip(ours, theirs) where our.values != their.values {
                    add(Kind(our.values, their.values), our.name)
                }
            }
        }
        for kind in Kind.allCases {
            guard let places = examples[kind] else { continue }
            table.row("  \(kind.rawValue)", "\(places.count)", places[0])
        }
        table.row("of all properties", "\(total)", "")
    }

    private func files() throws -> [URL] {
        let folder = URL(filePath: "Samples/AddressBook")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".vcf") }.sorted().map { folder.appending(path: $0) }
    }

    /// Kith's reading of a property, in Evolution's form.
    private func reading(_ property: VCard.Property) -> Property {
        if let data = property.data { return (property.name, ["base64:" + Data(data).base64EncodedString()]) }
        return switch property.name {
        case "N", "ADR", "ORG": (property.name, property.components.map { $0.joined(separator: ",") })
        case "CATEGORIES": (property.name, property.list)
        default: (property.name, [property.text])
        }
    }

    private func evolutionsReading(of cards: [VCard]) throws -> [[Property]]? {
        let questions = folder.appending(path: "questions")
        try Data(cards.map { Data($0.bytes).base64EncodedString() + "\n" }.joined().utf8).write(to: questions)
        guard let output = try Peer.evolution.output("--cards", input: questions) else { return nil }
        var cards: [[Property]] = []
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let cells = String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
            if cells == ["card"] {
                cards.append([])
            } else {
                cards[cards.count - 1].append((cells[0].uppercased(), cells.dropFirst().map(unescaped)))
            }
        }
        return cards
    }

    /// The text with its backslash escapes resolved.
    private func unescaped(_ text: Substring) -> String {
        let signs: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t"]
        var unescaped = ""
        var rest = text
        while let sign = rest.popFirst() {
            guard sign == "\\", let escaped = rest.popFirst() else {
                unescaped.append(sign)
                continue
            }
            unescaped.append(signs[escaped] ?? escaped)
        }
        return unescaped
    }
}
