import Foundation

/// Generates a file of cards in the styles of five programs, in turn.
///
/// No card is damaged. One person in fifty occurs twice, in two styles. The file is always the same.
struct CardFile {
    let hasPhotos: Bool

    /// The card at an index in the file.
    func card(_ index: Int) -> [UInt8] {
        Manner.allCases[index % Manner.allCases.count].card(of: person(index))
    }

    /// The person of the card at an index.
    func person(_ index: Int) -> Person { Person(index % 50 == 49 ? index - 1 : index, hasPhotos: hasPhotos) }

    /// A card with a photo of the given size.
    func largeCard(photoBytes: Int) -> [UInt8] {
        Manner.iPhone.card(of: Person(0, photoBytes: photoBytes))
    }

    /// The first `count` cards.
    func cards(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes += card(index) }
        return bytes
    }

    /// Whole cards with at least `count` bytes in total.
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
