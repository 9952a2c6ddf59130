import KithCards

/// The tables for searches by number, email, sound and text.
struct FindingTables: Sendable {
    /// The contacts by the hashes of their emails.
    let emails: PlaceTable
    /// The contacts by the digits of their numbers: `international` has the country code; `national` lacks it, or has
    /// the digits of a number that cannot be parsed.
    let international: PlaceTable
    let national: PlaceTable
    /// The contacts by the sound keys of their names.
    let sounds: PlaceTable
    /// All searchable text.
    let text: SearchText

    /// The tables of these contacts. A place is an index in `contacts`.
    init(_ contacts: [Contact]) {
        var emails: [PlaceTable.Entry] = []
        var international: [PlaceTable.Entry] = []
        var national: [PlaceTable.Entry] = []
        var sounds: [PlaceTable.Entry] = []
        var text = SearchText()
        for (place, contact) in contacts.enumerated() {
            text.beginContact()
            for card in contact.indexed {
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
