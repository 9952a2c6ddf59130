import Foundation

/// The similarity of other words to a word that may be mistyped.
package struct Similarity: Sendable {
    private let text: [Character]

    package init(to text: String) {
        self.text = Array(text.folded)
    }

    /// The names worth suggesting, nearest first: those that contain the word, and those that differ from it by a few
    /// typing mistakes.
    package func nearest(of names: [String], limit: Int) -> [String] {
        guard !text.isEmpty else { return [] }
        let tolerated = max(2, text.count / 3)
        let rated = names.compactMap { name -> (name: String, distance: Int)? in
            let folded = name.folded
            if folded.contains(String(text)) { return (name, 0) }
            let distance = distance(to: Array(folded.prefix(Self.read)))
            return distance <= tolerated && distance < text.count ? (name, distance) : nil
        }
        return rated.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(limit).map(\.name)
    }

    /// The edit distance: the number of letters to change, add, remove or swap with a neighbour.
    package func distance(to other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in text.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                let changed = last[column] + (letter == otherLetter ? 0 : 1)
                var least = min(changed, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], text[row - 1] == otherLetter {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, last) = (last, current)
        }
        return last[other.count]
    }

    /// The number of letters of a long name that are compared.
    private static let read = 80
}

extension String {
    /// The text without regard to case, accents and width: for comparing typed text.
    var folded: String {
        folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
