import Foundation
import TextEncodings

/// Builds a card from a vCard (RFC 9555, section 2), and records which property holds which part.
///
/// One pass reads each property by the rule for its name. Companions, which describe another property, are added at the
/// end: labels, the full text of an address, the pronunciation of a name.
struct CardBuilder {
    /// The property from which a part of the card was read.
    struct Place {
        let part: CardPart
        let aspect: Aspect
        /// The property's index in the vCard.
        let property: Int
    }

    /// Reads one property into the card.
    typealias Rule = @Sendable (inout CardBuilder, CardProperty) -> Void

    let vCard: VCard
    var card = Card()
    private(set) var places: [Place] = []
    /// The parts that were read from the properties of each group.
    private(set) var groups: [String: [CardPart]] = [:]
    /// The index of the first address of each group.
    private(set) var groupAddresses: [String: Int] = [:]
    /// The properties that describe other properties. They are added to these at the end.
    var companions: [CardProperty] = []

    /// The names, organizations and titles that the card does not hold.
    private(set) var others: [Card.Alternative] = []
    /// The index of the first anniversary of each kind.
    var firstDays: [Card.Anniversary.Kind: Int] = [:]
    /// The groups that have a LABEL, GEO or TZ property, which describes an address.
    lazy var addressGroups = Set(
        vCard.properties.lazy.filter { [.label, .geo, .tz].contains($0.knownName) }.compactMap {
            $0.group?.lowercased()
        })
    private lazy var alternatives = Alternatives(of: vCard)
    /// The ids in use, for each family in which a PROP-ID gives an id.
    private var ids: [CardPart.Family: EntryIDs] = [:]
    /// The index of each keyword and member, because a card lists each of them once.
    private var known: [CardPart.Family: [String: Int]] = [:]
    /// The parts with a single value that have been read.
    private var singles: Set<CardPart> = []

    init(of vCard: VCard) {
        self.vCard = vCard
        places.reserveCapacity(vCard.properties.count)
        for (index, written) in vCard.properties.enumerated() {
            guard let name = written.knownName, let rule = Self.rules[name] else { continue }
            let property = CardProperty(written, name, at: index)
            if !property.words.hasOtherParameters || alternatives.isMain(property) {
                rule(&self, property)
            } else if name == .n, property.isSound {
                companions.append(property)
            } else if !property.isSound {
                noteOther(property)
            }
        }
        placeCompanions()
    }

    /// Notes a property that is not the main one of its kind.
    private mutating func noteOther(_ property: CardProperty) {
        if let other = Card.Alternative(property) { others.append(other) }
    }

    /// Adds the companion properties to their entries.
    private mutating func placeCompanions() {
        // Consumed, so that the card is changed in place and not copied.
        self = CompanionPlacement(consume self).builder
    }

    /// Two rules for one name are a programming error. They stop the program at the first card.
    private static let rules: [VCard.PropertyName: Rule] = Dictionary(
        uniqueKeysWithValues: [
            cardRules, nameRules, reachingRules, messengerRules, resourceRules, furtherRules, weddingRules, spouseRules,
            companionRules,
        ].joined().map { ($0.key, $0.value) })

    /// The same rule for several names.
    private static func rules(for names: [VCard.PropertyName], _ rule: @escaping Rule) -> [VCard.PropertyName: Rule] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, rule) })
    }

    /// The rule for companions.
    private static let companionRules = rules(for: [
        .sortString, .xPhoneticFirstName, .xPhoneticMiddleName, .xPhoneticLastName, .label, .geo, .tz, .xABADR,
        .xABLabel, .birthPlace, .deathPlace,
    ]) { $0.companions.append($1) }

    /// The rules for the properties of the card itself.
    private static let cardRules: [VCard.PropertyName: Rule] = [
        .uid: { $0.set(\.uid, .uid, to: $1.text, $1) },
        .language: { $0.set(\.language, .language, to: $1.text, $1) },
        .prodID: { $0.set(\.productID, .productID, to: $1.text, $1) },
        .created: { $0.set(\.created, .created, to: DateAndTime($1.text)?.moment, $1) },
        .rev: { $0.set(\.updated, .updated, to: DateAndTime($1.text)?.moment, $1) },
        .kind: { $0.readKind($1.text, $1) },
        .xAddressBookServerKind: { $0.readKind($1.text, $1) },
        .xABShowAs: { if $1.text.lowercased() == "company" { $0.readKind("org", $1) } },
    ]

    private mutating func readKind(_ word: String, _ property: CardProperty) {
        guard let kind = Card.Kind(rawValue: word.lowercased()), isFirst(.kind) else { return }
        card.kind = kind
        note(.kind, property)
    }
}

extension Card {
    /// Reads the card from a vCard (RFC 9555, section 2).
    ///
    /// Empty properties, and properties that the model cannot express, stay in the vCard.
    public init(_ vCard: VCard) { self = CardBuilder(of: vCard).card }

    /// Reads the card from a vCard, and what its names, organizations and titles are in other languages.
    package init(_ vCard: VCard, alternatives: inout [Alternative]) {
        let reading = CardBuilder(of: vCard)
        self = reading.card
        alternatives = reading.others
    }
}

// MARK: - Used by the rules

extension CardBuilder {
    /// Sets a part of the card, unless an earlier property has set it or the value is empty.
    mutating func set(
        _ path: WritableKeyPath<Card, String?>, _ part: CardPart, to value: String?, _ property: CardProperty
    ) {
        guard let value, !value.isEmpty, card[keyPath: path] == nil else { return }
        card[keyPath: path] = value
        note(part, property)
    }

    /// Whether this is the first property for a part with a single value. Marks the part as read.
    mutating func isFirst(_ part: CardPart) -> Bool { singles.insert(part).inserted }

    /// Records that the property holds this aspect of `part`.
    mutating func note(_ part: CardPart, _ property: CardProperty, _ aspect: Aspect = .itself) {
        places.append(Place(part: part, aspect: aspect, property: property.index))
        if aspect == .itself { join(part, property) }
    }

    /// Adds a part to the property's group.
    mutating func join(_ part: CardPart, _ property: CardProperty) {
        guard let group = property.group else { return }
        groups[group, default: []].append(part)
        if let place = part.place(in: .address), groupAddresses[group] == nil { groupAddresses[group] = place }
    }

    /// Adds an entry with the given id if it is unused, else with an id made from its index.
    mutating func add<Entry: CardEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ property: CardProperty,
        id given: String?
    ) {
        var entry = entry
        let place = card[keyPath: path].count
        entry.vCardParameters = property.carried(by: .entry(family, place))
        if given != nil, ids[family] == nil { ids[family] = EntryIDs(card[keyPath: path].map(\.id)) }
        entry.id = ids[family]?.next(given, family, at: place) ?? family.id(at: place)
        card[keyPath: path].append(entry)
        note(.entry(family, place), property)
    }

    /// Adds an entry, with the contexts and the preference from the property's parameters.
    mutating func add<Entry: PlacedEntry>(
        _ entry: Entry, to path: WritableKeyPath<Card, [Entry]>, _ family: CardPart.Family, _ property: CardProperty
    ) {
        var entry = entry
        (entry.contexts, entry.pref) = (property.words.contexts, property.words.pref)
        add(entry, to: path, family, property, id: property.id)
    }

    /// Adds a keyword or a member, unless the card already has it.
    mutating func addOnce(
        _ value: String, to path: WritableKeyPath<Card, [String]>, _ family: CardPart.Family, _ property: CardProperty
    ) {
        guard !value.isEmpty else { return }
        let count = card[keyPath: path].count
        let place = known[family]?[value] ?? count
        if place == count {
            known[family, default: [:]][value] = place
            card[keyPath: path].append(value)
        }
        note(.entry(family, place), property)
    }
}

// MARK: - Names

extension CardBuilder {
    /// The rules for names, titles and organizations.
    static let nameRules: [VCard.PropertyName: Rule] = [
        .fn: { $0.readFullName($1) },
        .n: { $0.readName($1) },
        .nickname: { $0.readNicknames($1) },
        .org: { $0.readOrganization($1) },
        .title: { $0.readTitle($1, .title) },
        .role: { $0.readTitle($1, .role) },
        .gramGender: { $0.readGender($1) },
        .pronouns: {
            let pronouns = Card.SpeakToAs.Pronouns(id: "", pronouns: $1.text)
            if !pronouns.pronouns.isEmpty { $0.add(pronouns, to: \.speakToAs.pronouns, .pronouns, $1) }
        },
    ]

    /// A derived full name only repeats the parts of the name, so it is not read (RFC 9554, section 4.4).
    private mutating func readFullName(_ property: CardProperty) {
        guard isFirst(.fullName) else { return noteOther(property) }
        let text = property.text
        if property["DERIVED"]?.lowercased() != "true", !text.isEmpty { card.name.full = text }
        note(.fullName, property)
    }

    private mutating func readName(_ property: CardProperty) {
        guard isFirst(.name) else { return noteOther(property) }
        note(.name, property)
        let layout = NameLayout(NameLayout.components(of: property.written))
        if let comps = property["JSCOMPS"].flatMap(JSComps.init), let ordered = layout.ordered(by: comps) {
            card.name.components = ordered
            card.name.isOrdered = true
            card.name.defaultSeparator = comps.defaultSeparator
        } else {
            card.name.components = layout.components
        }
        card.name.vCardParameters = property.carried(by: .name)
        for (kind, key) in zip(NameLayout.kinds, property.sortKeys) where !key.isEmpty { card.name.sortAs[kind] = key }
    }

    private mutating func readNicknames(_ property: CardProperty) {
        let names = property.written.list.map(\.trimmedASCII).filter { !$0.isEmpty }
        for name in names {
            var nickname = Card.Nickname(id: "", name: name)
            (nickname.contexts, nickname.pref) = (property.words.contexts, property.words.pref)
            add(nickname, to: \.nicknames, .nickname, property, id: names.count == 1 ? property.id : nil)
        }
    }

    private mutating func readOrganization(_ property: CardProperty) {
        // Commas do not separate values here, and some programs do not escape them.
        let names = property.written.components.map { $0.joined(separator: ",").trimmedASCII }
        let units = names.dropFirst().filter { !$0.isEmpty }
        let name = names.first.flatMap { $0.isEmpty ? nil : $0 }
        guard name != nil || !units.isEmpty else { return }
        var organization = Card.Organization(id: "", name: name, units: Array(units))
        organization.contexts = property.words.contexts
        organization.sortAs = property.sortKeys.first.flatMap { $0.isEmpty ? nil : $0 }
        add(organization, to: \.organizations, .organization, property, id: property.id)
    }

    private mutating func readTitle(_ property: CardProperty, _ kind: Card.Title.Kind) {
        let title = Card.Title(id: "", kind: kind, name: property.text)
        if !title.name.isEmpty { add(title, to: \.titles, .title, property, id: property.id) }
    }

    private mutating func readGender(_ property: CardProperty) {
        guard let gender = Card.SpeakToAs.Gender(rawValue: property.text.lowercased()),
            card.speakToAs.grammaticalGender == nil
        else { return }
        card.speakToAs.grammaticalGender = gender
        note(.grammaticalGender, property)
    }
}

// MARK: - Ways to reach someone

extension CardBuilder {
    /// The rules for emails, phones, languages, online services and addresses.
    static let reachingRules: [VCard.PropertyName: Rule] = [
        .email: {
            let email = Card.Email(id: "", address: $1.text)
            if !email.address.isEmpty { $0.add(email, to: \.emails, .email, $1) }
        },
        .tel: { $0.readPhone($1) },
        .lang: {
            let language = Card.Language(id: "", language: $1.text)
            if !language.language.isEmpty { $0.add(language, to: \.preferredLanguages, .language, $1) }
        },
        .impp: { $0.readService($1) },
        .socialProfile: { $0.readService($1) },
        .xSocialProfile: { $0.readService($1) },
        .adr: { $0.readAddress($1) },
    ]

    private mutating func readPhone(_ property: CardProperty) {
        let text = property.text
        var phone = Card.Phone(id: "", number: text.telephoneNumber ?? text)
        guard !phone.number.isEmpty else { return }
        phone.features = property.words.features
        add(phone, to: \.phones, .phone, property)
    }

    // MARK: Services

    /// The properties that programs use for messengers in place of `IMPP`, and the messengers' names.
    static let messengers: [(name: VCard.PropertyName, service: String?)] = [
        (.xAIM, "AIM"), (.xGaduGadu, "Gadu-Gadu"), (.xGoogleTalk, "Google Talk"), (.xGTalk, "Google Talk"),
        (.xGroupWise, "GroupWise"), (.xICQ, "ICQ"), (.xIRC, "IRC"), (.xJabber, "XMPP"), (.xMatrix, "Matrix"),
        (.xMSN, "MSN"), (.xQQ, "QQ"), (.xSIP, "SIP"), (.xSkype, "Skype"), (.xSkypeUserName, "Skype"),
        (.xTelegram, "Telegram"), (.xTwitter, "Twitter"), (.xYahoo, "Yahoo"),
        // Outlook and KDE do not say which messenger it is.
        (.xMSIMAddress, nil), (.xKAddressBookIMAddress, nil),
    ]

    /// The rules for `messengers`.
    static let messengerRules: [VCard.PropertyName: Rule] = messengers.reduce(into: [:]) { rules, messenger in
        rules[messenger.name] = {
            let service = Card.OnlineService(id: "", service: messenger.service, user: $1.text)
            if service.user != "" { $0.add(service, to: \.onlineServices, .onlineService, $1) }
        }
    }

    /// Reads an account at a messenger or a social network: its URI, the user name, or both.
    ///
    /// Apple names the service in X-SERVICE-TYPE or in a word of TYPE, and the user in X-USER. RFC 9554 uses
    /// SERVICE-TYPE and USERNAME.
    private mutating func readService(_ property: CardProperty) {
        let text = property.text
        var service = Card.OnlineService(id: "")
        service.service = property["SERVICE-TYPE"] ?? property["X-SERVICE-TYPE"]
        service.service = service.service ?? property.serviceWord
        service.user = property["USERNAME"] ?? property["X-USER"]
        if let user = text.afterPrefix("x-apple:") {
            // Apple writes `x-apple:` before a user name that has no URI.
            service.user = service.user ?? StreamSafeText.clamped(user.removingPercentEncoding ?? user)
        } else if property.valueType != "text", text.hasScheme {
            service.uri = text
        } else if !text.isEmpty {
            service.user = service.user ?? text
        }
        guard service.uri != nil || service.user != nil else { return }
        add(service, to: \.onlineServices, .onlineService, property)
    }
}

// MARK: - Addresses

extension CardBuilder {
    mutating func readAddress(_ property: CardProperty) {
        var address = Card.Address(id: "")
        let layout = AddressLayout(AddressLayout.components(of: property.written))
        if let comps = property["JSCOMPS"].flatMap(JSComps.init), let ordered = layout.ordered(by: comps) {
            address.components = ordered
            address.isOrdered = true
            address.defaultSeparator = comps.defaultSeparator
        } else {
            address.components = layout.components
        }
        address.full = property["LABEL"]
        address.coordinates = property["GEO"].flatMap(AddressLayout.coordinates)
        address.timeZone = property["TZ"].flatMap(AddressLayout.timeZone)
        address.countryCode = property["CC"].flatMap(AddressLayout.countryCode)
        // An empty address counts if another property of its group describes it.
        guard address != Card.Address(id: "") || property.group.map({ addressGroups.contains($0) }) ?? false else {
            return
        }
        add(address, to: \.addresses, .address, property)
    }
}

// MARK: - Days, notes, relations

extension CardBuilder {
    /// The rules for days, notes, categories, relations and members.
    static let furtherRules: [VCard.PropertyName: Rule] = [
        .bday: { $0.readDay($1, .birth) },
        .deathDate: { $0.readDay($1, .death) },
        .xABDate: { $0.readDay($1, .other) },
        .note: { $0.readNote($1) },
        .categories: {
            for keyword in $1.written.list { $0.addOnce(keyword.trimmedASCII, to: \.keywords, .keyword, $1) }
        },
        .member: { $0.addOnce($1.text, to: \.members, .member, $1) },
        .xAddressBookServerMember: { $0.addOnce($1.text, to: \.members, .member, $1) },
        .related: { $0.readRelation($1, Set($1.types.map { $0.lowercased() })) },
        .xABRelatedNames: { $0.readRelation($1, []) },
        .agent: { $0.readRelation($1, ["agent"]) },
        .expertise: { $0.readInfo($1, .expertise) },
        .hobby: { $0.readInfo($1, .hobby) },
        .interest: { $0.readInfo($1, .interest) },
    ]

    private static let weddingRules = rules(for: [
        .anniversary, .xAnniversary, .xEvolutionAnniversary, .xKAddressBookAnniversary, .xMSAnniversary,
    ]) { $0.readDay($1, .wedding) }

    private static let spouseRules = rules(for: [.xSpouse, .xMSSpouse, .xEvolutionSpouse, .xKAddressBookSpouse]) {
        $0.readRelation($1, ["spouse"])
    }

    private mutating func readDay(_ property: CardProperty, _ kind: Card.Anniversary.Kind) {
        let text = property.text
        guard !text.isEmpty else { return }
        var day = property.valueType == "text" ? .text(text) : Card.Anniversary.Day(text)
        // Apple always writes a year, and declares which year stands for an unknown one.
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
        guard !note.note.trimmedASCII.isEmpty else { return }
        let author = Card.Note.Author(name: property["AUTHOR-NAME"], uri: property["AUTHOR"])
        note.author = author == Card.Note.Author() ? nil : author
        note.created = property["CREATED"].flatMap { DateAndTime($0)?.moment }
        add(note, to: \.notes, .note, property, id: property.id)
    }

    private mutating func readRelation(_ property: CardProperty, _ relations: Set<String>) {
        // A nested card of an agent is represented by its name.
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

    /// RFC 6715 names the levels of an expertise differently from those of a hobby.
    private mutating func readInfo(_ property: CardProperty, _ kind: Card.PersonalInfo.Kind) {
        var info = Card.PersonalInfo(id: "", kind: kind, value: property.text)
        guard !info.value.isEmpty else { return }
        info.level = property["LEVEL"].flatMap { Card.PersonalInfo.Level(vCardWord: $0.lowercased()) }
        add(info, to: \.personalInfo, .personalInfo, property, id: property.id)
    }
}

// MARK: - Resources

extension CardBuilder {
    /// The rules for linked and embedded resources.
    static let resourceRules: [VCard.PropertyName: Rule] = [
        .photo: { $0.readResource($1, to: \.media, .media, .photo) },
        .logo: { $0.readResource($1, to: \.media, .media, .logo) },
        .sound: { $0.readResource($1, to: \.media, .media, .sound) },
        .url: { $0.readResource($1, to: \.links, .link, nil) },
        .contactURI: { $0.readResource($1, to: \.links, .link, .contact) },
        .xEvolutionBlogURL: { $0.readResource($1, to: \.links, .link, nil) },
        .xEvolutionVideoURL: { $0.readResource($1, to: \.links, .link, nil) },
        .calURI: { $0.readResource($1, to: \.calendars, .calendar, .calendar) },
        .fburl: { $0.readResource($1, to: \.calendars, .calendar, .freeBusy) },
        .calAdrURI: { $0.readResource($1, to: \.schedulingAddresses, .schedulingAddress, nil) },
        .key: { $0.readResource($1, to: \.cryptoKeys, .cryptoKey, nil) },
        .source: { $0.readResource($1, to: \.directories, .directory, .entry) },
        .orgDirectory: { $0.readResource($1, to: \.directories, .directory, .directory) },
    ]

    private mutating func readResource(
        _ property: CardProperty, to path: WritableKeyPath<Card, [Card.Resource]>, _ family: CardPart.Family,
        _ kind: Card.Resource.Kind?
    ) {
        let content: Card.Resource.Content
        if property.written.isEmbedded {
            let embedded = EmbeddedDigest(property.written.writtenValue)
            content = .embedded(size: embedded.size, digest: embedded.digest)
        } else {
            let uri = property.text
            guard !uri.isEmpty else { return }
            content = .uri(uri)
        }
        let resource = Card.Resource(id: "", kind: kind, content: content, mediaType: MediaType.read(property))
        add(resource, to: path, family, property)
    }
}

extension MediaType {
    /// The media type: from MEDIATYPE in version 4.0, from TYPE in older versions, or from a `data:` URI.
    fileprivate static func read(_ property: CardProperty) -> String? {
        if let type = property["MEDIATYPE"] { return type.lowercased() }
        if let type = property.types.lazy.compactMap(mediaType).first { return type }
        guard property.written.isEmbedded, !property.written.isBase64 else { return nil }
        return DataURI(property.written.writtenValue)?.mediaType
    }
}
