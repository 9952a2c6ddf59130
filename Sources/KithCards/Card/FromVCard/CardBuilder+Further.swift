extension CardBuilder {
    /// The rules of days, notes, categories, relations and members.
    static let furtherRules: [VCard.PropertyName: Rule] = [
        .bday: { $0.readDay($1, .birth) },
        .deathDate: { $0.readDay($1, .death) },
        .anniversary: { $0.readDay($1, .wedding) },
        .xAnniversary: { $0.readDay($1, .wedding) },
        .xEvolutionAnniversary: { $0.readDay($1, .wedding) },
        .xKAddressBookAnniversary: { $0.readDay($1, .wedding) },
        .xMSAnniversary: { $0.readDay($1, .wedding) },
        .xABDate: { $0.readDay($1, .other) },
        .birthPlace: { $0.companions.append($1) },
        .deathPlace: { $0.companions.append($1) },
        .note: { $0.readNote($1) },
        .categories: {
            for keyword in $1.written.list { $0.addOnce(keyword.trimmed, to: \.keywords, .keyword, $1) }
        },
        .member: { $0.addOnce($1.text, to: \.members, .member, $1) },
        .xAddressBookServerMember: { $0.addOnce($1.text, to: \.members, .member, $1) },
        .related: { $0.readRelation($1, Set($1.types.map { $0.lowercased() })) },
        .xABRelatedNames: { $0.readRelation($1, []) },
        .xSpouse: { $0.readRelation($1, ["spouse"]) },
        .xMSSpouse: { $0.readRelation($1, ["spouse"]) },
        .xEvolutionSpouse: { $0.readRelation($1, ["spouse"]) },
        .xKAddressBookSpouse: { $0.readRelation($1, ["spouse"]) },
        .agent: { $0.readRelation($1, ["agent"]) },
        .expertise: { $0.readInfo($1, .expertise) },
        .hobby: { $0.readInfo($1, .hobby) },
        .interest: { $0.readInfo($1, .interest) },
    ]

    private mutating func readDay(_ property: CardProperty, _ kind: Card.Anniversary.Kind) {
        let text = property.text
        guard !text.isEmpty else { return }
        var day = property.valueType == "text" ? .text(text) : Card.Anniversary.Day(text)
        // Apple cannot leave out a year, and says which one means that there is none.
        if case .date(let year?, let month, let date) = day,
            property["X-APPLE-OMIT-YEAR"].flatMap({ Int($0) }) == year
        {
            day = .date(year: nil, month: month, day: date)
        }
        let anniversary = Card.Anniversary(id: "", kind: kind, day: day)
        if firstDays[kind] == nil { firstDays[kind] = card.anniversaries.count }
        add(anniversary, to: \.anniversaries, .anniversary, property, id: property.id)
    }

    private mutating func readNote(_ property: CardProperty) {
        var note = Card.Note(id: "", note: property.written.text)
        guard !note.note.trimmed.isEmpty else { return }
        let author = Card.Note.Author(name: property["AUTHOR-NAME"], uri: property["AUTHOR"])
        note.author = author == Card.Note.Author() ? nil : author
        note.created = property["CREATED"].flatMap { DateAndTime($0)?.moment }
        add(note, to: \.notes, .note, property, id: property.id)
    }

    private mutating func readRelation(_ property: CardProperty, _ relations: Set<String>) {
        // An agent who is a card within the card is someone by name.
        let other =
            switch (property.written.agent, property.written.isNested) {
            case (let agent?, _): Card(agent).agentName ?? ""
            case (nil, true): ""
            case (nil, false): property.text
            }
        guard !other.isEmpty else { return }
        let relation = Card.Relation(id: "", other: other, relations: relations)
        add(relation, to: \.relatedTo, .relation, property, id: property.id)
    }

    /// RFC 6715 has other words for the levels of an expertise than for those of a hobby.
    private mutating func readInfo(_ property: CardProperty, _ kind: Card.PersonalInfo.Kind) {
        var info = Card.PersonalInfo(id: "", kind: kind, value: property.text)
        guard !info.value.isEmpty else { return }
        info.level = property["LEVEL"].flatMap { Card.PersonalInfo.Level(vCardWord: $0.lowercased()) }
        add(info, to: \.personalInfo, .personalInfo, property, id: property.id)
    }
}

extension Card.PersonalInfo.Level {
    /// The level that a word of LEVEL, in small letters, stands for.
    init?(vCardWord word: String) {
        switch word {
        case "expert", "high": self = .high
        case "average", "medium": self = .medium
        case "beginner", "low": self = .low
        default: return nil
        }
    }

    /// The word of LEVEL for it.
    func vCardWord(for kind: Card.PersonalInfo.Kind) -> String {
        guard kind == .expertise else { return rawValue }
        return switch self {
        case .high: "expert"
        case .medium: "average"
        case .low: "beginner"
        }
    }
}

extension Card.Anniversary.Day {
    /// The day that a vCard writes so. The very beginning of a day of UTC is the day: many programs have no other way.
    init(_ text: String) {
        guard let date = DateAndTime(text) else {
            self = .text(text)
            return
        }
        if let time = date.time, time.zone != nil, !time.isMidnight, let moment = date.moment {
            self = .moment(moment)
        } else {
            self = .date(year: date.year, month: date.month, day: date.day)
        }
    }
}
