import KithCards

extension PersonDice {
    mutating func addReach(to card: inout Card) {
        card.emails = some { dice in
            var email = Card.Email(
                id: "", address: dice.pick(["ada@example.com", "\"a,b\"@example.com", "zoë@bücher.example"]))
            (email.contexts, email.pref, email.label) = (dice.contexts(), dice.pref(), dice.perhaps { $0.text() })
            return email
        }
        card.phones = some { dice in
            let numbers = ["+43 660 123", "+1-418-656-9254;ext=102", "0660/123", "+44.20.7946", "112", "1-800-FLOWERS"]
            var phone = Card.Phone(id: "", number: dice.pick(numbers))
            phone.features = Set(Card.Phone.Feature.allCases.filter { _ in dice.chance(4) })
            (phone.contexts, phone.pref, phone.label) = (dice.contexts(), dice.pref(), dice.perhaps { $0.text() })
            return phone
        }
        card.onlineServices = some { $0.service() }
        card.preferredLanguages = some { dice in
            var language = Card.Language(id: "", language: dice.pick(["en", "de-AT", "fr"]))
            (language.contexts, language.pref) = (dice.contexts(), dice.pref())
            return language
        }
        card.addresses = some { $0.address() }
    }

    private mutating func service() -> Card.OnlineService {
        var service = Card.OnlineService(id: "", service: pick([nil, "Mastodon", "XMPP", "AIM", "Skype"]))
        switch pick([0, 1, 2]) {
        case 0: service.uri = pick(["xmpp:ada@example.com", "sip:ada@example.com", uri()])
        case 1: service.user = text()
        default: (service.uri, service.user) = (uri(), word())
        }
        // A name alone is written as a text, which must not look like a parameter's end.
        (service.contexts, service.pref, service.label) = (contexts(), pref(), perhaps { $0.text() })
        return service
    }

    private mutating func address() -> Card.Address {
        var address = Card.Address(id: "")
        var kinds: [Card.Address.Kind] = [.postOfficeBox, .apartment, .name, .locality, .region, .postcode, .country]
        if version == .v4_0, chance(2) {
            kinds = [.postOfficeBox, .locality, .region, .postcode, .country, .room, .apartment, .floor]
            kinds += [.number, .name, .building, .block, .subdistrict, .district, .landmark, .direction]
        }
        for kind in kinds where chance(2) {
            address.components.append(Card.Address.Component(kind, text()))
            if version != .v2_1, chance(4) { address.components.append(Card.Address.Component(kind, text())) }
        }
        // Parts that every version knows stand in the order of the old components.
        let isOld = address.components.allSatisfy {
            [.postOfficeBox, .apartment, .name, .locality, .region, .postcode, .country].contains($0.kind)
        }
        if isOld {
            let order: [Card.Address.Kind] = [
                .postOfficeBox, .apartment, .name, .locality, .region, .postcode, .country,
            ]
            address.components = order.flatMap { kind in address.components.filter { $0.kind == kind } }
        }
        if version == .v4_0, !address.components.isEmpty, chance(3) { order(&address) }
        address.full = address.components.isEmpty || chance(3) ? fullAddress() : nil
        address.coordinates = perhaps { $0.pick(["geo:48.2,16.37", "geo:-33.9,18.4"]) }
        address.timeZone = perhaps { $0.pick(["Europe/Vienna", "Etc/GMT+5"]) }
        address.countryCode = perhaps { $0.pick(["AT", "ZA"]) }
        address.contexts = chance(3) ? [.billing, .delivery] : contexts()
        (address.pref, address.label) = (pref(), perhaps { $0.text() })
        return address
    }

    /// A parameter says it in version 4.0, a property before.
    private mutating func fullAddress() -> String { "\(text())\n\(text())" }

    private mutating func order(_ address: inout Card.Address) {
        var parts: [Card.Address.Component] = []
        for kind in Card.Address.Kind.allCases.shuffled(using: &self) {
            for part in address.components where part.kind == kind {
                if chance(3) { parts.append(Card.Address.Component(.separator, pick([", ", ";", " "]))) }
                parts.append(part)
            }
        }
        address.components = parts
        address.isOrdered = true
        address.defaultSeparator = perhaps { $0.pick([", ", "\n"]) }
    }
}

extension PersonDice {
    mutating func addResources(to card: inout Card) {
        card.media = some { $0.resource([.photo, .logo, .sound], types: ["image/png", "image/jpeg", "audio/wav"]) }
        card.links = some { $0.resource([nil, .contact], types: ["text/html"]) }
        card.calendars = some { $0.resource([.calendar, .freeBusy], types: []) }
        card.schedulingAddresses = some { $0.resource([nil], types: []) }
        card.cryptoKeys = some { $0.resource([nil], types: ["application/pgp-keys"]) }
        card.directories = some { $0.resource([.directory, .entry], types: []) }
    }

    private mutating func resource(_ kinds: [Card.Resource.Kind?], types: [String]) -> Card.Resource {
        var resource = Card.Resource(id: "", kind: pick(kinds), content: .uri(uri()))
        resource.mediaType = types.isEmpty || chance(2) ? nil : pick(types)
        (resource.contexts, resource.pref, resource.label) = (contexts(), pref(), perhaps { $0.text() })
        return resource
    }

    mutating func addFurther(to card: inout Card) {
        card.anniversaries = some { dice in
            let kinds: [Card.Anniversary.Kind] = [.birth, .death, .wedding, .other]
            var anniversary = Card.Anniversary(id: "", kind: dice.pick(kinds), day: dice.day())
            anniversary.label = dice.perhaps { $0.text() }
            anniversary.place = dice.pick([nil, .init(full: dice.text()), .init(coordinates: "geo:48.2,16.37")])
            return anniversary
        }
        card.placeOnce()
        card.notes = some { dice in
            var note = Card.Note(id: "", note: dice.lines())
            note.author = dice.pick([nil, nil, Card.Note.Author(name: dice.word(), uri: "mailto:a@example.com")])
            note.created = dice.perhaps { _ in "2022-11-23T15:01:32Z" }
            return note
        }
        card.relatedTo = some { $0.relation() }
        card.personalInfo = some { dice in
            let kinds: [Card.PersonalInfo.Kind] = [.expertise, .hobby, .interest]
            var info = Card.PersonalInfo(id: "", kind: dice.pick(kinds), value: dice.text())
            info.level = dice.pick([nil, .high, .medium, .low])
            return info
        }
    }

    private mutating func day() -> Card.Anniversary.Day {
        pick([
            .date(year: 1980, month: 3, day: 22), .date(year: nil, month: 2, day: 3),
            .date(year: 1985, month: 4, day: nil),
            .date(year: 1985, month: nil, day: nil), .date(year: nil, month: 4, day: nil),
            .date(year: nil, month: nil, day: 12), .moment("2019-10-15T23:10:00Z"), .text("circa 1800"),
        ])
    }

    private mutating func relation() -> Card.Relation {
        let known = ["spouse", "child", "friend", "parent", "sibling", "colleague", "agent"]
        let other = pick([
            "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "8cacdfb7d1ffdb59@example.com", "Jenny", text(),
        ])
        var relation = Card.Relation(
            id: "", other: other, relations: Set((0..<pick([0, 1, 1, 2])).map { _ in pick(known) }))
        relation.label = pick([nil, nil, "Mother", "Boss", "Partner"])
        return relation
    }
}
