import KithCards

/// The cards of an earlier reading by the hash of their bytes, so that unchanged cards need not be parsed again.
struct PreviousCards: Sendable {
    private let entries: [SourceContents.Entry]
    /// The key and the hash of each entry.
    private let spots: [(key: CardKey, place: Range<Int>, hash: CardHash)]
    private let places: [CardHash: Int]

    /// The cards of an earlier reading; empty if there was none.
    init(
        _ entries: [SourceContents.Entry] = [], _ spots: [(key: CardKey, place: Range<Int>, hash: CardHash)] = []
    ) {
        (self.entries, self.spots) = (entries, spots)
        places = Dictionary(spots.enumerated().lazy.map { ($1.hash, $0) }) { first, _ in first }
    }

    /// The card with these bytes; nil if there was none.
    func card(_ hash: CardHash) -> (key: CardKey, entry: SourceContents.Entry)? {
        places[hash].map { (spots[$0].key, entries[$0]) }
    }
}
