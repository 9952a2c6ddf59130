extension Wording {
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
        case .nickname: nickname(card.nicknames[place])
        case .organization: organization(card.organizations[place])
        case .title: title(card.titles[place])
        case .pronouns: pronouns(card.speakToAs.pronouns[place])
        case .email: email(card.emails[place])
        case .phone: phone(card.phones[place])
        case .onlineService: onlineService(card.onlineServices[place])
        case .language: language(card.preferredLanguages[place])
        case .address: address(card.addresses[place])
        case .media: resource(card.media[place], family)
        case .link: resource(card.links[place], family)
        case .calendar: resource(card.calendars[place], family)
        case .cryptoKey: resource(card.cryptoKeys[place], family)
        case .directory: resource(card.directories[place], family)
        case .schedulingAddress: resource(card.schedulingAddresses[place], family)
        case .anniversary: anniversary(card.anniversaries[place])
        case .note: note(card.notes[place])
        case .relation: relation(card.relatedTo[place])
        case .personalInfo: info(card.personalInfo[place])
        }
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
