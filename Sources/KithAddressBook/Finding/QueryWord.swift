import KithModel

/// A word of a search in its spellings: as typed, in Latin letters, and with two letters for each umlaut.
struct QueryWord {
    /// The letters of each spelling.
    let spellings: [[UInt8]]
    /// The letters with ae, oe or ue replaced by a, o or u, in case they stand for an umlaut.
    let withoutDigraphs: [[UInt8]]
    /// The sound key.
    let sounds: [SoundAlike]
    /// The ranges of keys for words that begin, or may begin, with this word.
    let keys: [ClosedRange<UInt64>]
    /// The keys for words that are, or may be, this word.
    let wholeKeys: [UInt64]
    /// The number of bytes. Fewer names begin with a longer word.
    let length: Int
    private let beginnings: [SearchableText]

    /// Shorter words sound like too many others.
    private static let fewestLettersOfSound = 3

    /// - Parameters:
    ///   - typed: The letters as typed.
    ///   - spelled: The letters with two for each umlaut.
    init(_ typed: [UInt8], _ spelled: ArraySlice<UInt8>) {
        var spelling = LatinSpelling()
        var texts = [FoldedText(words: [typed])] + (spelling[typed[...]].map { [FoldedText($0)] } ?? [])
        if !spelled.elementsEqual(typed) { texts.append(FoldedText(words: [Array(spelled)])) }
        beginnings = texts.map { SearchableText($0) }
        spellings = texts.map { Array($0.bytes.dropFirst()) }
        withoutDigraphs = Self.withoutDigraphs(typed)
        keys = spellings.map { PlaceTable.keys(beginningWith: $0) }
        wholeKeys = keys.map(\.lowerBound)
        sounds = spellings.compactMap { $0.count < Self.fewestLettersOfSound ? nil : SoundAlike($0[...]) }
        length = typed.count
    }

    /// The letters with each combination of ae, oe and ue read as umlauts. In a word with many of them: each one alone,
    /// and all together.
    private static func withoutDigraphs(_ letters: [UInt8]) -> [[UInt8]] {
        let digraphs = letters.indices.dropFirst().filter { index in
            letters[index] == UInt8(ascii: "e") && "aou".utf8.contains(letters[index - 1])
        }
        guard !digraphs.isEmpty else { return [] }
        let choices =
            digraphs.count <= mostDigraphs
            ? (1..<1 << digraphs.count).map { choice in
                digraphs.indices.filter { choice >> $0 & 1 == 1 }.map { digraphs[$0] }
            }
            : digraphs.map { [$0] } + [Array(digraphs)]
        return choices.map { choice in letters.indices.filter { !choice.contains($0) }.map { letters[$0] } }
    }

    /// Words with more digraphs than this are not tried in every combination.
    private static let mostDigraphs = 3

    func begins(_ card: IndexedCard) -> Bool { beginnings.contains(where: card.names.contains) }

    func isWhole(_ card: IndexedCard) -> Bool { beginnings.contains(where: card.names.hasWord) }
}
