public import ArgumentParser
package import Foundation
public import KithCards
import TextEncodings

/// The format of a file of cards.
package enum CardFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case vcard
    /// JSContact (RFC 9553): a card, or an array of cards.
    case jscontact

    /// An error in a file, and its position: the line of a vCard, or the index of a JSContact card, both from 1.
    package struct Fault: Sendable {
        package let place: Int
        package let reason: String
    }

    /// The format of a file's content. JSON begins with a brace or a bracket, and a vCard does not.
    init(recognising data: Data) {
        let first = data.first { !Self.isBlank($0) }
        self = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .jscontact : .vcard
    }

    /// Whether a byte gives no hint about the format: white space, or part of a byte order mark.
    static func isBlank(_ byte: UInt8) -> Bool { " \t\r\n\u{FEFF}".utf8.contains(byte) }

    /// The cards in `data`, and the errors.
    func read(_ data: Data) -> (cards: [VCard], faults: [Fault]) {
        switch self {
        case .vcard:
            let (cards, faults) = VCardReader.cards(in: data)
            return (cards, faults.map { Fault(place: $0.line, reason: $0.sentence) })
        case .jscontact:
            var faults: [Fault] = []
            let cards = Self.elements(data).enumerated().compactMap { index, element -> VCard? in
                switch element.card {
                case .success(let card): return VCard(card)
                case .failure(let error):
                    faults.append(Fault(place: index + 1, reason: Self.sentence(error)))
                    return nil
                }
            }
            return (cards, faults)
        }
    }

    /// Writes cards as JSContact: an array with one card per line, including photos.
    ///
    /// - Throws: ``Failure`` if they cannot be read back.
    static func jsContact(_ cards: [VCard]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try cards.map {
            String(decoding: try encoder.encode(JSContact($0, embedding: true)), as: UTF8.self)
        }
        let data = Data(("[" + lines.joined(separator: ",\n") + "]\n").utf8)
        try check(data, holds: cards.count)
        return data
    }

    /// Reads cards in JSContact back.
    ///
    /// - Throws: ``Failure`` if the number of cards differs.
    package static func check(_ data: Data, holds count: Int) throws {
        let read = elements(data).count { (try? $0.card.get()) != nil }
        guard read == count else { throw Failure.notReadBack(read, of: count) }
    }

    /// One card of an array. If it cannot be decoded, the others can still be read.
    private struct Element: Decodable {
        let card: Result<JSContact, any Error>

        init(_ error: any Error) { card = .failure(error) }

        /// A file that cannot be read, for the reason in `fault`.
        init(fault: String) {
            self.init(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: fault)))
        }

        init(from decoder: any Decoder) throws { card = Result { try JSContact(from: decoder) } }
    }

    private static func elements(_ data: Data) -> [Element] {
        // The decoder also reads UTF-16, in which no marks would be found. JSON in UTF-8 has no zero byte.
        if data.contains(0) { return [Element(fault: "It is not JSON in UTF-8. Save the file in UTF-8.")] }
        if let excess = data.withUnsafeBytes({ StreamSafeText.excess(inJSON: $0) }) {
            let line = data.prefix(excess).count { $0 == UInt8(ascii: "\n") } + 1
            return [
                Element(fault: "Line \(line) has \(StreamSafeText.excess). Remove them, and read the file again.")
            ]
        }
        let decoder = JSONDecoder()
        do {
            return try decoder.decode([Element].self, from: data)
        } catch {
            return [(try? decoder.decode(Element.self, from: data)) ?? Element(error)]
        }
    }

    private static func sentence(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "It is not a card in JSContact." }
        return context.debugDescription
    }
}

extension VCard.Version: ExpressibleByArgument {}
