import KithCards

/// Where to find contacts by all that is known of them.
struct FindingTables: Sendable {
    /// By the hashes of their emails.
    let emails: PlaceTable
    /// By the digits of their numbers: with the country's code; and without it, or as they were written.
    let international: PlaceTable
    let national: PlaceTable
    /// By what the words of their names sound like.
    let sounds: PlaceTable
    /// Everything that people may look for.
    let text: SearchText

    /// The tables of these contacts, in this order.
    init(_ contacts: [AddressBook.Contact]) {
        var emails: [PlaceTable.Entry] = []
        var international: [PlaceTable.Entry] = []
        var national: [PlaceTable.Entry] = []
        var sounds: [PlaceTable.Entry] = []
        var text = SearchText()
        for (place, contact) in contacts.enumerated() {
            text.beginContact()
            for card in contact.filed {
                let details = card.details
                text.append(card.names.folded)
                text.append(details.text)
                for sound in details.sounds { sounds.append(PlaceTable.Entry(sound.letters, place)) }
                for case let address? in details.addresses {
                    emails.append(PlaceTable.Entry(PlaceTable.key(of: address), place))
                }
                for (phone, number) in zip(card.card.phones, details.numbers) {
                    if let number {
                        let digits = number.digits
                        international.append(PlaceTable.Entry(Digits.key(of: digits), place))
                        let subscriber = digits.dropFirst(number.countryCodeLength)
                        national.append(PlaceTable.Entry(Digits.key(of: subscriber), place))
                    } else {
                        let digits = Digits.read(phone.number)
                        if !digits.isEmpty { national.append(PlaceTable.Entry(Digits.key(of: digits), place)) }
                    }
                }
            }
        }
        self.emails = PlaceTable(emails)
        self.international = PlaceTable(international)
        self.national = PlaceTable(national)
        self.sounds = PlaceTable(sounds)
        self.text = text
    }
}
