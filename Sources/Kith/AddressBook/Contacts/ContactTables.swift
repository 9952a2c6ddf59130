import KithModel

/// Where to find contacts by what they are called: made with the book.
struct ContactTables: Sendable {
    /// By the hashes of the ids of their cards.
    let ids: PlaceTable
    /// By how the words of their names begin.
    let words: PlaceTable

    /// The tables of these contacts, in this order.
    init(_ contacts: [AddressBook.Contact]) async {
        // Every card is looked at once, by one core: counting who holds it is what costs most.
        let stretches = await inParallel(contacts.count) { range in
            var ids: [PlaceTable.Entry] = []
            var words: [PlaceTable.Entry] = []
            for place in range {
                for card in contacts[place].filed {
                    ids.append(PlaceTable.Entry(PlaceTable.key(of: card.id), place))
                    PlaceTable.forEachKey(ofWordsIn: card.names.folded) { words.append(PlaceTable.Entry($0, place)) }
                }
            }
            return (ids: ids, words: words)
        }
        async let ids = PlaceTable(stretches.flatMap(\.ids))
        async let words = PlaceTable(stretches.flatMap(\.words))
        (self.ids, self.words) = await (ids, words)
    }
}
