package import Foundation
package import KithCards

/// vCards combined into one file.
///
/// Each card keeps the bytes that its program wrote, but a file has one encoding. Cards in UTF-16 are converted to
/// UTF-8, and so are cards in an 8-bit charset if other cards are in UTF-8. A card without END gets one. The file is
/// read back before it is returned.
package struct VCardExport {
    /// The content of the file.
    package let data: Data

    /// Combines cards. Those of one file keep its encodings.
    ///
    /// - Throws: ``Failure`` if the file would not contain these cards.
    package init(_ cards: [VCard], isOfOneFile: Bool) throws {
        let bytes = cards.map(\.inBytes)
        let standing = isOfOneFile ? bytes : Self.inOneEncoding(bytes)
        var data = Data()
        for card in standing {
            data.append(contentsOf: card.bytes)
            if data.last != UInt8(ascii: "\n") { data.append(contentsOf: "\r\n".utf8) }
        }
        self.data = data
        try Self.check(data, holds: cards)
    }

    /// Reads a file back.
    ///
    /// - Throws: ``Failure`` if it does not contain these cards.
    package static func check(_ data: Data, holds cards: [VCard]) throws {
        let (read, faults) = VCardReader.cards(in: data)
        let isSound =
            read.count == cards.count && zip(read, cards).allSatisfy { $0.properties.count == $1.properties.count }
        guard isSound else {
            let reason = faults.first { !$0.bytes.isEmpty }?.sentence
            throw Failure.notReadBack(read.count, of: cards.count, because: reason)
        }
    }

    /// These cards. If some are in UTF-8, those in an 8-bit charset are converted to UTF-8.
    private static func inOneEncoding(_ cards: [VCard]) -> [VCard] {
        let isUTF8 = cards.map { String(validating: $0.bytes, as: UTF8.self) != nil }
        let hasUTF8 = zip(cards, isUTF8).contains { $1 && $0.bytes.contains { $0 >= 0x80 } }
        guard hasUTF8, isUTF8.contains(false) else { return cards }
        return zip(cards, isUTF8).map { card, isUTF8 in isUTF8 ? card : card.inUTF8 ?? card }
    }
}

extension Failure {
    /// An export with wrong contents, and why the first unreadable card cannot be read. Nothing is written.
    package static func notReadBack(_ read: Int, of count: Int, because reason: String? = nil) -> Failure {
        let sentences = [
            "The export was not written: of \(count.things("card")) \(read) could be read back from it.", reason,
            count > 1 ? "Export fewer contacts at once to find the card that is not sound." : nil,
        ]
        return Failure(.failed, "notReadBack", sentences.compactMap(\.self).joined(separator: " "))
    }
}
