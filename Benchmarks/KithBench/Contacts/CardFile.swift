import Foundation

/// A file of cards in the manners of five programs, in turn.
///
/// No card is broken. One person in fifty is there twice, in two manners. The
/// file is the same whenever it is made.
struct CardFile {
    let hasPhotos: Bool

    /// The card in this place of the file.
    func card(_ index: Int) -> [UInt8] {
        Manner.allCases[index % Manner.allCases.count].card(of: person(index))
    }

    /// Whose card it is.
    func person(_ index: Int) -> Person { Person(index % 50 == 49 ? index - 1 : index, hasPhotos: hasPhotos) }

    /// A card with a photo of so many bytes.
    func largeCard(photoBytes: Int) -> [UInt8] {
        Manner.iPhone.card(of: Person(0, photoBytes: photoBytes))
    }

    /// So many cards.
    func cards(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes += card(index) }
        return bytes
    }

    /// At least so many bytes of whole cards.
    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 64 * 1024)
        var index = 0
        while bytes.count < count {
            bytes += card(index)
            index += 1
        }
        return bytes
    }
}
