extension VCardWriter {
    /// What a property is to say of a part of a card; nil if there is nothing to say, or no way to say it.
    func draft(of part: CardPart, in card: Card) -> PropertyDraft? {
        switch part {
        case .uid: card.uid.map { PropertyDraft(.uid, $0.isURI ? .plain($0) : .text($0)) }
        case .kind: kind(card.kind)
        case .language: card.language.map { PropertyDraft(.language, .text($0)) }
        case .productID: card.productID.map { PropertyDraft(.prodID, .text($0)) }
        case .created: card.created.map { PropertyDraft(.created, .plain(timestamp($0))) }
        case .updated: card.updated.map { PropertyDraft(.rev, .plain(timestamp($0))) }
        case .fullName: fullName(of: card)
        case .name: name(of: card)
        case .grammaticalGender:
            card.speakToAs.grammaticalGender.map { PropertyDraft(.gramGender, .text($0.rawValue)) }
        case .entry(let family, let place): draft(of: family, place, in: card)
        }
    }

    private func draft(of family: CardPart.Family, _ place: Int, in card: Card) -> PropertyDraft? {
        switch family {
        case .keyword: PropertyDraft(.categories, .list([card.keywords[place]]))
        case .member: member(card.members[place])
        case .nickname: draft(card.nicknames[place], nickname)
        case .organization: draft(card.organizations[place], organization)
        case .title: draft(card.titles[place], title)
        case .pronouns: draft(card.speakToAs.pronouns[place], pronouns)
        case .email: draft(card.emails[place], email)
        case .phone: draft(card.phones[place], phone)
        case .onlineService: draft(card.onlineServices[place], onlineService)
        case .language: draft(card.preferredLanguages[place], language)
        case .address: draft(card.addresses[place], address)
        case .media: draft(card.media[place]) { resource($0, family) }
        case .link: draft(card.links[place]) { resource($0, family) }
        case .calendar: draft(card.calendars[place]) { resource($0, family) }
        case .cryptoKey: draft(card.cryptoKeys[place]) { resource($0, family) }
        case .directory: draft(card.directories[place]) { resource($0, family) }
        case .schedulingAddress: draft(card.schedulingAddresses[place]) { resource($0, family) }
        case .anniversary: draft(card.anniversaries[place], anniversary)
        case .note: draft(card.notes[place], note)
        case .relation: draft(card.relatedTo[place], relation)
        case .personalInfo: draft(card.personalInfo[place], info)
        }
    }

    /// The draft of an entry, with the parameters that it carries.
    private func draft<Entry: CardEntry>(_ entry: Entry, _ writer: (Entry) -> PropertyDraft?) -> PropertyDraft? {
        var draft = writer(entry)
        draft?.carry(entry.vCardParameters)
        return draft
    }
}

extension Card {
    /// Its parts, in the order in which this program writes them.
    var parts: [CardPart] {
        let keys = keys
        return [.productID, .uid, .kind, .language, .fullName, .name, .grammaticalGender, .created, .updated]
            + CardPart.Family.allCases.flatMap { family in (keys[family] ?? []).indices.map { .entry(family, $0) } }
    }
}
