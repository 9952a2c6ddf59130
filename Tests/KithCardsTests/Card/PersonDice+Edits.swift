import KithCards

extension PersonDice {
    /// What no card says, as programs write it, and one that is no property at all.
    static let noise = [
        "X-FOO;A=\"b:c\";D:folded in the mi\r\n ddle of a word\r\n", "item77.X-BAR:1\r\n", "this is no property\r\n",
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;a;;\r\n", "x-lower;TYPE=a,\"b\":\\x\\;\r\n",
    ]

    /// The vCard with noise between its properties.
    mutating func noisy(_ vCard: VCard) throws -> VCard {
        var lines = vCard.properties.map { String(decoding: $0.bytes, as: UTF8.self) }
        for noise in Self.noise { lines.insert(noise, at: Int.random(in: 1...lines.count, using: &self)) }
        return try VCard(("BEGIN:VCARD\r\n" + lines.joined() + "END:VCARD\r\n").utf8)
    }

    /// The card after someone has edited it: here and there something is changed, added or taken out.
    mutating func edited(_ card: Card) -> Card {
        var card = card
        let other = self.card()
        if chance(3) { card.uid = other.uid }
        if chance(3) { card.kind = other.kind }
        if chance(3) { card.language = other.language }
        if chance(3) { card.updated = other.updated }
        if chance(3) { card.name = other.name }
        if chance(3) { card.name.full = other.name.full }
        if chance(3) { card.speakToAs.grammaticalGender = other.speakToAs.grammaticalGender }
        if chance(2) { card.keywords = (card.keywords.filter { _ in !chance(3) } + other.keywords).distinct }
        if chance(2) { card.members = (card.members.filter { _ in !chance(3) } + other.members).distinct }
        mix(\.nicknames, &card, other)
        mix(\.organizations, &card, other)
        mix(\.titles, &card, other)
        mix(\.speakToAs.pronouns, &card, other)
        mix(\.emails, &card, other)
        mix(\.phones, &card, other)
        mix(\.onlineServices, &card, other)
        mix(\.preferredLanguages, &card, other)
        mix(\.addresses, &card, other)
        mix(\.media, &card, other)
        mix(\.links, &card, other)
        mix(\.calendars, &card, other)
        mix(\.schedulingAddresses, &card, other)
        mix(\.cryptoKeys, &card, other)
        mix(\.directories, &card, other)
        mix(\.anniversaries, &card, other)
        mix(\.notes, &card, other)
        mix(\.relatedTo, &card, other)
        mix(\.personalInfo, &card, other)
        let organizations = Set(card.organizations.map(\.id))
        for index in card.titles.indices where !(card.titles[index].organization.map(organizations.contains) ?? true) {
            card.titles[index].organization = organizations.sorted().first
        }
        card.placeOnce()
        return card
    }

    private mutating func mix<Entry: CardEntry>(
        _ path: WritableKeyPath<Card, [Entry]>, _ card: inout Card, _ other: Card
    ) {
        guard chance(2) else { return }
        var entries = card[keyPath: path].filter { _ in !chance(3) }
        for (index, entry) in other[keyPath: path].enumerated() {
            if !entries.isEmpty, chance(2) {
                // Another one of the same id.
                let place = Int.random(in: entries.indices, using: &self)
                let id = entries[place].id
                entries[place] = entry
                entries[place].id = id
            } else {
                var entry = entry
                entry.id = "new\(index)"
                entries.insert(entry, at: Int.random(in: 0...entries.count, using: &self))
            }
        }
        card[keyPath: path] = entries
    }
}

extension Card {
    /// Leaves the places of those days alone that a vCard tells the place of: the first birth and the first death.
    mutating func placeOnce() {
        var told: Set<Anniversary.Kind> = [.wedding, .other]
        for index in anniversaries.indices where !told.insert(anniversaries[index].kind).inserted {
            anniversaries[index].place = nil
        }
    }
}
