import KithCards

/// The cards of an earlier reading by the hash of their bytes, so that unchanged cards need not be parsed again.
struct PreviousCards: Sendable {
    private let reading: FileContents?
    private let places: [CardHash: Int]

    /// The cards of an earlier reading; empty if there was none.
    init(_ reading: FileContents? = nil) {
        self.reading = reading
        places = Dictionary((reading?.spots ?? []).enumerated().lazy.map { ($1.print, $0) }) { first, _ in first }
    }

    /// The card with these bytes; nil if there was none.
    func card(_ print: CardHash) -> (key: CardKey, card: Card)? {
        guard let reading, let place = places[print] else { return nil }
        return (reading.spots[place].key, reading.contents.entries[place].card)
    }
}
