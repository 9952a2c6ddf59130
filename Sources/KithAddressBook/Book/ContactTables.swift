import KithModel

/// The tables for searches by id and by name.
struct ContactTables: Sendable {
    /// The contacts by the hashes of their cards' ids.
    let ids: PlaceTable
    /// The contacts by the beginnings of the words of their names.
    let words: PlaceTable

    /// The tables of these contacts. A place is an index in `contacts`.
    init(_ contacts: [Contact]) {
        var ids: [PlaceTable.Entry] = []
        var words: [PlaceTable.Entry] = []
        for (place, contact) in contacts.enumerated() {
            for card in contact.indexed {
                ids.append(PlaceTable.Entry(PlaceTable.key(of: card.id), place))
                PlaceTable.forEachKey(ofWordsIn: card.names.folded) { words.append(PlaceTable.Entry($0, place)) }
            }
        }
        (self.ids, self.words) = (PlaceTable(ids), PlaceTable(words))
    }
}
