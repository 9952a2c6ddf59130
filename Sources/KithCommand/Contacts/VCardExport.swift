package import Foundation
package import KithModel

/// vCards put together into one file.
///
/// Each card stays to the byte as its program wrote it, but a file has one encoding: cards in UTF-16 come in UTF-8.
/// One without END gets it. The file is read back before it is handed out.
package struct VCardExport {
    /// The content of the file.
    package let data: Data

    /// Puts cards together.
    ///
    /// - Throws: ``Failure`` if the file would not have these cards.
    package init(_ cards: [VCard]) throws {
        var data = Data()
        for card in cards {
            data.append(contentsOf: card.inBytes.bytes)
            if data.last != UInt8(ascii: "\n") { data.append(contentsOf: "\r\n".utf8) }
        }
        self.data = data
        let read = VCardReader.cards(in: data).cards
        let isSound =
            read.count == cards.count && zip(read, cards).allSatisfy { $0.properties.count == $1.properties.count }
        guard isSound else { throw Failure.notReadBack(read.count, of: cards.count) }
    }
}

extension Failure {
    /// An export that does not say what it should. Nothing of it is written.
    package static func notReadBack(_ read: Int, of count: Int) -> Failure {
        Failure(
            .failed, "notReadBack",
            "The export was not written: of \(count.things("card")) \(read) could be read back from it. "
                + "Export fewer contacts at once to find the card that is not sound.")
    }
}
