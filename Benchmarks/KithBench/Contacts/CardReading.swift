import Foundation
import KithCards
import KithModel

/// Measures how fast a large file of cards is read.
struct CardReading {
    private let what: String
    private let bytes: [UInt8]
    private let file: URL
    /// The first cards of the file, for a reader that would take minutes for the whole file.
    private let start: [UInt8]
    private let startFile: URL

    init(_ cards: CardFile, megabytes: Int, folder: URL) throws {
        what = "\(megabytes) MB of cards \(cards.hasPhotos ? "with" : "without") photos"
        bytes = cards.bytes(megabytes * 1_000_000)
        start = cards.bytes(2_000_000)
        file = folder.appending(path: "cards.vcf")
        startFile = folder.appending(path: "first-cards.vcf")
        try Data(bytes).write(to: file)
        try Data(start).write(to: startFile)
    }

    func measure(into table: Table) throws {
        var (cards, properties) = (0, 0)
        let cutting = processorTime { forEachCard { _ in cards += 1 } }
        let touching = processorTime {
            forEachCard { card in
                for property in card.properties where property.isTouched { properties += 1 }
            }
        }
        var names = 0
        let mapping = processorTime { forEachCard { names += Card($0).name.components.count } }
        precondition(names >= cards)
        var lineCount = 0
        let lines = try processorTime { lineCount = try countLines() }
        precondition(lineCount > properties)
        table.row("\(what): \(cards) cards", rate(cutting), "", "", rate(lines))
        table.row(
            "  the name, parameters and text of each of \(properties)", rate(touching),
            rate(try Peer.evolution.time(toRead: file)),
            rate(try Peer.vobject.time(toRead: startFile), of: start.count), "")
        table.row("  each as a contact", rate(mapping), "", "", "")
        table.row(
            "    for each card", String(format: "%.1f µs", mapping / .microseconds(1) / Double(cards)), "", "", "")
    }

    private func forEachCard(_ body: (VCard) -> Void) {
        var reader = VCardReader()
        func take(_ element: VCardReader.Element) {
            switch element {
            case .card(let card): body(card)
            case .fault(let fault): fatalError(fault.sentence)
            case .between: break
            }
        }
        reader.feed(bytes, take)
        reader.finish(take)
    }

    /// Reads the file and finds the end of each line, which every reader has to do.
    private func countLines() throws -> Int {
        let file = try FileHandle(forReadingFrom: file)
        defer { try? file.close() }
        var count = 0
        while let piece = try file.read(upToCount: 256 * 1024), !piece.isEmpty {
            piece.withUnsafeBytes { piece in
                guard var place = piece.baseAddress else { return }
                let end = place + piece.count
                while let found = memchr(place, 0x0A, place.distance(to: end)) {
                    count += 1
                    place = UnsafeRawPointer(found) + 1
                }
            }
        }
        return count
    }

    private func rate(_ time: Duration?, of count: Int? = nil) -> String {
        guard let time else { return "not here" }
        let megabytes = Double(count ?? bytes.count) / 1e6 / (time / .seconds(1))
        return String(format: megabytes < 10 ? "%.1f MB/s" : "%.0f MB/s", megabytes)
    }
}

extension VCard.Property {
    /// Reads every part of the property, so that no lazy work is left out.
    fileprivate var isTouched: Bool { name.utf8.count + parameters.count + text.utf8.count > 0 }
}
