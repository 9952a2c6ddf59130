import KithModel

/// Where to find contacts by what they are called.
struct ContactTables: Sendable {
    /// By the hashes of the ids of their cards.
    let ids: PlaceTable
    /// By how the words of their names begin.
    let words: PlaceTable

    /// The tables of these contacts, in this order.
    init(_ contacts: [AddressBook.Contact]) {
        var ids: [PlaceTable.Entry] = []
        var words: [PlaceTable.Entry] = []
        for (place, contact) in contacts.enumerated() {
            for card in contact.filed {
                ids.append(PlaceTable.Entry(PlaceTable.key(of: card.id), place))
                PlaceTable.forEachKey(ofWordsIn: card.names.folded) { words.append(PlaceTable.Entry($0, place)) }
            }
        }
        (self.ids, self.words) = (PlaceTable(ids), PlaceTable(words))
    }
}
