import KithModel

/// Where to find contacts by what is known of them.
struct ContactTables: Sendable {
    /// By the hashes of the ids of their cards, and of their emails.
    let ids: PlaceTable
    let emails: PlaceTable
    /// By how the words of their names begin.
    let words: PlaceTable
    /// By the digits of their numbers: with the country's code; and without it, or as they were written.
    let international: PlaceTable
    let national: PlaceTable

    /// The tables of these contacts, in this order.
    init(_ contacts: [AddressBook.Contact]) async {
        // Every card is looked at once, by one core: counting who holds it is what costs most.
        let stretches = await inParallel(contacts.count) { range in
            var entries = Entries()
            for place in range { for card in contacts[place].filed { entries.add(card, place) } }
            return entries
        }
        async let ids = PlaceTable(stretches.flatMap(\.ids))
        async let emails = PlaceTable(stretches.flatMap(\.emails))
        async let words = PlaceTable(stretches.flatMap(\.words))
        async let international = PlaceTable(stretches.flatMap(\.international))
        async let national = PlaceTable(stretches.flatMap(\.national))
        (self.ids, self.emails, self.words) = await (ids, emails, words)
        (self.international, self.national) = await (international, national)
    }
}

/// What goes into the tables.
private struct Entries: Sendable {
    var ids: [PlaceTable.Entry] = []
    var emails: [PlaceTable.Entry] = []
    var words: [PlaceTable.Entry] = []
    var international: [PlaceTable.Entry] = []
    var national: [PlaceTable.Entry] = []

    mutating func add(_ card: FiledCard, _ place: Int) {
        ids.append(PlaceTable.Entry(PlaceTable.key(of: card.id), place))
        for case let address? in card.addresses {
            emails.append(PlaceTable.Entry(PlaceTable.key(of: address), place))
        }
        PlaceTable.forEachKey(ofWordsIn: card.names.folded) { words.append(PlaceTable.Entry($0, place)) }
        for (phone, number) in zip(card.card.phones, card.numbers) {
            if let number {
                let digits = number.digits
                international.append(PlaceTable.Entry(Digits.key(of: digits), place))
                national.append(
                    PlaceTable.Entry(Digits.key(of: digits.dropFirst(number.countryCodeLength)), place))
            } else {
                let digits = Digits.read(phone.number)
                if !digits.isEmpty { national.append(PlaceTable.Entry(Digits.key(of: digits), place)) }
            }
        }
    }
}
