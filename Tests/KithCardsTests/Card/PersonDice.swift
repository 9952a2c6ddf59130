import KithCards

/// Cards of people who do not exist, thrown by a seed: the same seed, the same card.
///
/// They have what a version of vCard can say of a card, and nothing that the
/// documentation of `VCard.apply` excepts.
struct PersonDice: RandomNumberGenerator {
    private var numbers: SplitMix64
    let version: VCard.Version

    init(seed: UInt64, _ version: VCard.Version) {
        numbers = SplitMix64(seed: seed)
        self.version = version
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// What parts a value in some version, or is escaped in one.
    static let texts = [
        "Ada", "Lovelace", "van Gogh", "O’Neill", "a,b", "x;y", "back\\slash", "Zoë", "日本 太郎", "with: colon",
        "\"quoted\"", "^caret^n", "=3D", "👩‍👩‍👧", "PREF", "HOME", "1", "a\\nb", "\\,", "item1", "http://not.a/uri",
    ]
    /// What a parameter can hold in every version.
    static let words = ["Ada", "van Gogh", "Zoë", "Mastodon", "x-y", "日本", "1"]

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
    mutating func text() -> String { pick(Self.texts) }
    mutating func lines() -> String { chance(3) ? text() + "\n\n" + text() : text() }
    mutating func word() -> String { pick(Self.words) }
    mutating func perhaps(_ text: (inout Self) -> String) -> String? { chance(2) ? text(&self) : nil }
    mutating func uri() -> String { "https://example.com/\(Int.random(in: 1...99, using: &self))?a=b,c;d" }

    /// Up to three entries, each with an id of its own.
    mutating func some<Entry: CardEntry>(_ entry: (inout Self) -> Entry) -> [Entry] {
        var entries = (0..<pick([0, 0, 1, 1, 2, 3])).map { _ in entry(&self) }
        for index in entries.indices {
            entries[index].id = "k\(Int.random(in: 0...999, using: &self))x\(index)"
            if chance(3) { entries[index].vCardParameters = parameters(types: types(of: Entry.self)) }
        }
        return entries
    }

    /// Words of TYPE that the model does not know where they are. What someone is to another, it knows by any word.
    private func types<Entry: CardEntry>(of: Entry.Type) -> [String] {
        Entry.self == Card.Relation.self ? ["pref"] : ["X-Segelboot", "WhatsApp", "isdn", "INTERNET"]
    }

    /// Parameters that the model does not know, in the order of their names.
    mutating func parameters(types: [String]) -> VCard.Parameters {
        var parameters = VCard.Parameters()
        let values = Self.words + ["a,b", "x:y;z", "=3D"] + (version == .v2_1 ? [] : ["\"q\"", "a\nb", "^n"])
        if chance(3) { parameters["LANGUAGE"] = [pick(["de", "fr"])] }
        if !types.isEmpty, chance(2) { parameters["TYPE"] = [pick(types)] }
        if chance(2) { parameters["X-FOO"] = (0..<pick([1, 1, 2])).map { _ in pick(values) } }
        return parameters
    }

    mutating func contexts() -> Set<Card.Context> { pick([[], [], [.work], [.private], [.private, .work]]) }

    /// Before version 4.0 only the first preference can be said.
    mutating func pref() -> Int? {
        guard chance(2) else { return nil }
        return version == .v4_0 ? Int.random(in: 1...100, using: &self) : 1
    }

    mutating func card() -> Card {
        var card = Card()
        card.uid = perhaps { $0.chance(2) ? "urn:uuid:03a0e51f-d1aa-4385-8a53-e29025acd8af" : $0.text() }
        card.kind = pick(Card.Kind.allCases)
        card.language = perhaps { _ in "de-AT" }
        card.productID = perhaps { $0.text() }
        card.created = perhaps { _ in "2022-09-30T14:35:10Z" }
        card.updated = perhaps { _ in "2021-10-31T22:27:10.5Z" }
        card.keywords = distinct()
        card.members = distinct().map { $0.contains(where: \.isWhitespace) ? "urn:x" : $0 }.distinct
        card.name = name()
        addNames(to: &card)
        addReach(to: &card)
        addResources(to: &card)
        addFurther(to: &card)
        return card
    }

    mutating func distinct() -> [String] { (0..<pick([0, 1, 3])).map { _ in text() }.distinct }

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

extension PersonDice {
    mutating func name() -> Card.Name {
        var name = Card.Name()
        name.full = perhaps { $0.text() }
        var kinds: [Card.Name.Kind] = [.surname, .given, .given2, .title, .credential]
        if version == .v4_0, chance(2) { kinds += [.surname2, .generation] }
        for kind in kinds {
            // Version 2.1 has one value for each kind.
            for _ in 0..<pick(version == .v2_1 ? [0, 1] : [0, 1, 1, 2]) {
                name.components.append(Card.Name.Component(kind, text()))
            }
        }
        for kind in [Card.Name.Kind.given, .given2, .surname] where chance(3) {
            guard let index = name.components.firstIndex(where: { $0.kind == kind }) else { continue }
            name.components[index].phonetic = text()
        }
        if version == .v4_0, name.components.contains(where: { $0.phonetic != nil }), chance(2) {
            name.phoneticSystem = pick([nil, "ipa"])
            name.phoneticScript = name.phoneticSystem == nil ? "Latn" : perhaps { _ in "Latn" }
        }
        if version == .v4_0, !name.components.isEmpty, chance(2) { order(&name) }
        if chance(2) { name.sortAs[.surname] = word() }
        if chance(3) { name.sortAs[.given] = word() }
        if chance(4) { name.vCardParameters = parameters(types: []) }
        return name
    }

    private mutating func order(_ name: inout Card.Name) {
        var parts: [Card.Name.Component] = []
        let kinds = Card.Name.Kind.allCases.shuffled(using: &self)
        for kind in kinds {
            for part in name.components where part.kind == kind {
                if chance(3) { parts.append(Card.Name.Component(.separator, pick([", ", ";", "\\", " - "]))) }
                parts.append(part)
            }
        }
        name.components = parts
        name.isOrdered = true
        name.defaultSeparator = perhaps { $0.pick([", ", "", ";"]) }
    }

    private mutating func addNames(to card: inout Card) {
        card.nicknames = some { dice in
            var nickname = Card.Nickname(id: "", name: dice.text())
            (nickname.contexts, nickname.pref) = (dice.contexts(), dice.pref())
            return nickname
        }
        card.organizations = some { dice in
            let units = (0..<dice.pick([0, 1, 2])).map { _ in dice.text() }
            let name = units.isEmpty ? dice.text() : dice.perhaps { $0.text() }
            var organization = Card.Organization(id: "", name: name, units: units)
            (organization.contexts, organization.sortAs) = (dice.contexts(), dice.perhaps { $0.word() })
            return organization
        }
        let organizations = card.organizations.map(\.id)
        card.titles = some { dice in
            var title = Card.Title(id: "", kind: dice.pick([.title, .role]), name: dice.text())
            if !organizations.isEmpty, dice.chance(2) { title.organization = dice.pick(organizations) }
            return title
        }
        card.speakToAs.grammaticalGender = chance(2) ? pick(Card.SpeakToAs.Gender.allCases) : nil
        card.speakToAs.pronouns = some { dice in
            var pronouns = Card.SpeakToAs.Pronouns(id: "", pronouns: dice.pick(["they/them", "xe/xir"]))
            (pronouns.contexts, pronouns.pref) = (dice.contexts(), dice.pref())
            return pronouns
        }
    }
}

extension [String] {
    /// Each once, in order.
    var distinct: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
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
