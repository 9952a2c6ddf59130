/// Drafts the properties for the parts of a card, in the form of a vCard version and of the existing property.
struct VCardWriter {
    let version: VCard.Version
    /// The existing property for the part; nil if there is none.
    var existing: VCard.Property?
    /// The aspects of the part that separate properties hold.
    var apart: Set<Aspect> = []
    /// The index of the entry in a new vCard. A reader makes the same id from it, so that no PROP-ID is needed.
    var place: Int?

    var isOld: Bool { version != .v4_0 }

    /// Whether an aspect is written as a parameter, as in version 4.0, or as a separate property, as in older versions.
    func isParameter(_ name: String, _ aspect: Aspect) -> Bool {
        if apart.contains(aspect) { return false }
        return !isOld || existing.map { !$0.parameters[name].isEmpty } ?? false
    }

    /// The parameters of an entry: words of TYPE, preference and id.
    func parameters(_ words: [String], pref: Int? = nil, id: String, _ family: CardPart.Family) -> VCard.Parameters {
        var parameters = VCard.Parameters()
        var types = words
        // Versions before 4.0 can mark entries as preferred, but not rank them.
        let isNumbered = !isOld || existing?.parameters["PREF"].isEmpty == false
        if pref == 1, !isNumbered { types.append("pref") }
        parameters["TYPE"] = isOld ? types.map { $0.uppercased() } : types
        if let pref, isNumbered { parameters["PREF"] = [String(pref)] }
        if !isOld, !family.makes(id) || place.map({ family.id(at: $0) != id }) ?? false { parameters["PROP-ID"] = [id] }
        return parameters
    }

    func parameters(of entry: some PlacedEntry, _ family: CardPart.Family, _ words: [String] = []) -> VCard.Parameters {
        parameters(words + entry.contexts.words, pref: entry.pref, id: entry.id, family)
    }
}

extension Set<Card.Context> {
    /// The words of TYPE for these, in a fixed order.
    var words: [String] { Card.Context.allCases.filter(contains).map(\.typeWord) }
}

extension Set<Card.Phone.Feature> {
    /// The words of TYPE for these, in a fixed order.
    var words: [String] { Card.Phone.Feature.allCases.filter(contains).map(\.typeWord) }
}

// MARK: - A part of a card

extension VCardWriter {
    /// The draft of the property for a part of a card; nil if the part is empty or cannot be written.
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
        case .entry(let family, let place): family.row.draft(of: place, in: card, by: self)
        }
    }
}

// MARK: - Names

extension VCardWriter {
    /// `FN`: the full name from the card, or one derived from its parts for readers that require `FN`.
    func fullName(of card: Card) -> PropertyDraft? {
        if let full = card.name.full { return PropertyDraft(.fn, .text(full)) }
        guard version != .v2_1 else { return nil }
        let derived = card.name.displayText ?? card.anyName
        var draft = PropertyDraft(.fn, .text(derived ?? ""), ["DERIVED": ["TRUE"]])
        draft.isDerived = true
        return draft
    }

    /// `N`, with its sort keys and its pronunciation.
    func name(of card: Card) -> PropertyDraft? {
        let name = card.name
        var draft = PropertyDraft(.n, .components(NameLayout.values(of: name.components, isOld: isOld)))
        // Versions before 4.0 require `N`.
        if name.components.isEmpty { draft.isDerived = isOld }
        if !isOld, name.isOrdered {
            draft.parameters["JSCOMPS"] = [
                NameLayout.order(of: name.components, defaultSeparator: name.defaultSeparator).text
            ]
        }
        if !name.sortAs.isEmpty {
            if name.sortAs.keys.allSatisfy({ $0 == .surname }), !isParameter("SORT-AS", .sortAs) {
                draft.companions[.sortAs] = PropertyDraft(.sortString, .text(name.sortAs[.surname] ?? ""))
            } else {
                var values = NameLayout.kinds.map { name.sortAs[$0] ?? "" }
                while values.last == "" { values.removeLast() }
                draft.parameters["SORT-AS"] = sortAs(values)
            }
        }
        draft.carry(name.vCardParameters)
        addSounds(of: name, to: &draft)
        let isEmpty = name.components.isEmpty && draft.companions.isEmpty && draft.parameters.isEmpty
        return isEmpty && !draft.isDerived ? nil : draft
    }

    /// The values of SORT-AS: all keys in one value, as RFC 6350 shows it; but several values, if a key contains a comma.
    private func sortAs(_ keys: [String]) -> [String] {
        guard keys.contains(where: { $0.contains(",") }) else { return [keys.joined(separator: ",")] }
        return keys.count == 1 ? keys + [""] : keys
    }

    /// Adds the pronunciation: in a second `N` if the card names its system or script, else in the properties that
    /// Apple and Google use.
    private func addSounds(of name: Card.Name, to draft: inout PropertyDraft) {
        if !isOld, name.phoneticSystem != nil || name.phoneticScript != nil {
            let parts = name.components.map { Card.Name.Component($0.kind, $0.phonetic ?? "") }
            guard parts.contains(where: { !$0.value.isEmpty }) else { return }
            var alternative = draft.parameters["ALTID"]
            if alternative.isEmpty { alternative = existing?.parameters["ALTID"] ?? [] }
            if alternative.isEmpty { alternative = ["1"] }
            draft.parameters["ALTID"] = alternative
            var sound = PropertyDraft(.n, .components(NameLayout.values(of: parts, isOld: isOld)))
            sound.parameters["ALTID"] = alternative
            sound.parameters["PHONETIC"] = [name.phoneticSystem ?? "script"]
            sound.parameters["SCRIPT"] = name.phoneticScript.map { [$0] } ?? []
            draft.companions[.sound] = sound
            return
        }
        let sounds: [(Card.Name.Kind, VCard.PropertyName)] = [
            (.given, .xPhoneticFirstName), (.given2, .xPhoneticMiddleName), (.surname, .xPhoneticLastName),
        ]
        for (kind, property) in sounds {
            guard let sound = name.components.first(where: { $0.kind == kind })?.phonetic else { continue }
            draft.companions[.phonetic(kind)] = PropertyDraft(property, .text(sound))
        }
    }

    /// `NICKNAME`, which can list several nicknames with the same parameters.
    func nickname(_ nickname: Card.Nickname) -> PropertyDraft {
        PropertyDraft(.nickname, .list([nickname.name]), parameters(of: nickname, .nickname))
    }

    func organization(_ organization: Card.Organization) -> PropertyDraft {
        var parameters = parameters(organization.contexts.words, id: organization.id, .organization)
        parameters["SORT-AS"] = organization.sortAs.map { sortAs([$0]) } ?? []
        let components = ([organization.name ?? ""] + organization.units).map { [$0] }
        return PropertyDraft(.org, .components(components), parameters)
    }

    func title(_ title: Card.Title) -> PropertyDraft {
        let parameters = parameters([], id: title.id, .title)
        var draft = PropertyDraft(title.kind == .title ? .title : .role, .text(title.name), parameters)
        draft.organization = title.organization
        return draft
    }

    func pronouns(_ pronouns: Card.SpeakToAs.Pronouns) -> PropertyDraft {
        PropertyDraft(.pronouns, .text(pronouns.pronouns), parameters(of: pronouns, .pronouns))
    }
}

// MARK: - Ways to reach someone

extension VCardWriter {
    func email(_ email: Card.Email) -> PropertyDraft {
        labelled(PropertyDraft(.email, .text(email.address), parameters(of: email, .email)), email.label)
    }

    func phone(_ phone: Card.Phone) -> PropertyDraft {
        var parameters = parameters(of: phone, .phone, phone.features.words)
        let isURI = existing?.saysTelephoneURI ?? !isOld
        let value: VCard.Value
        if isURI, phone.number.isInternational {
            parameters["VALUE"] = existing.map { $0.parameters["VALUE"] } ?? ["uri"]
            value = .plain("tel:" + phone.number)
        } else {
            value = .text(phone.number)
        }
        return labelled(PropertyDraft(.tel, value, parameters), phone.label)
    }

    func language(_ language: Card.Language) -> PropertyDraft {
        PropertyDraft(.lang, .text(language.language), parameters(of: language, .language))
    }

    /// The draft with the owner's label.
    func labelled(_ draft: PropertyDraft, _ label: String?) -> PropertyDraft {
        var draft = draft
        if let label { draft.companions[.label] = PropertyDraft(.xABLabel, .text(label)) }
        return draft
    }

    func merged(_ left: VCard.Parameters, _ right: VCard.Parameters) -> VCard.Parameters {
        var merged = left
        for parameter in right { merged[parameter.name] += parameter.values }
        return merged
    }
}

extension VCard.Property {
    /// Whether its value is declared as a URI, or is a `tel:` URI.
    fileprivate var saysTelephoneURI: Bool {
        parameters["VALUE"].first?.lowercased() == "uri" || text.hasPrefixIgnoringCase("tel:")
    }
}

extension String {
    /// Whether a `tel:` URI can hold the number without a context: it begins with a plus and a country code (RFC 3966).
    fileprivate var isInternational: Bool {
        guard first == "+" else { return false }
        let (number, rest) = (dropFirst().prefix { $0 != ";" }, drop { $0 != ";" })
        let signs = "0123456789-.()"
        return number.contains(where: \.isNumber) && number.allSatisfy(signs.contains)
            && rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ";=-.+".contains($0)) }
    }
}

// MARK: - Addresses

extension VCardWriter {
    /// `ADR`, with its companion properties.
    func address(_ address: Card.Address) -> PropertyDraft {
        var values = AddressLayout.values(of: address.components, isOld: isOld)
        if version == .v2_1 { values = values.map { [$0.joined(separator: " ")] } }
        var draft = PropertyDraft(.adr, .components(values), parameters(of: address, .address))
        draft = labelled(draft, address.label)
        if !isOld, address.isOrdered {
            draft.parameters["JSCOMPS"] = [
                AddressLayout.order(of: address.components, defaultSeparator: address.defaultSeparator).text
            ]
        }
        say(address.full, "LABEL", .fullAddress, in: &draft) { full in
            var types = parameters(of: address, .address)
            types["PROP-ID"] = []
            return PropertyDraft(.label, .text(full), types)
        }
        say(address.coordinates, "GEO", .coordinates, in: &draft) { uri in
            // Before version 4.0, GEO is two numbers without a scheme.
            let numbers = uri.afterPrefix("geo:")?.split(separator: ",") ?? []
            let isPair = isOld && numbers.count == 2 && numbers.allSatisfy { Double($0) != nil }
            return PropertyDraft(.geo, .plain(isPair ? numbers.joined(separator: ";") : uri))
        }
        say(address.timeZone, "TZ", .timeZone, in: &draft) { zone in
            PropertyDraft(.tz, .text(isOld ? DateAndTime.offset(ofZone: zone) ?? zone : zone))
        }
        say(address.countryCode, "CC", .countryCode, in: &draft) { PropertyDraft(.xABADR, .text($0.lowercased())) }
        return draft
    }

    private func say(
        _ text: String?, _ parameter: String, _ aspect: Aspect, in draft: inout PropertyDraft,
        apart: (String) -> PropertyDraft
    ) {
        guard let text else { return }
        if isParameter(parameter, aspect) {
            draft.parameters[parameter] = [text]
        } else {
            draft.companions[aspect] = apart(text)
        }
    }
}

// MARK: - Days, notes, relations

extension VCardWriter {
    func note(_ note: Card.Note) -> PropertyDraft {
        var parameters = parameters([], id: note.id, .note)
        parameters["AUTHOR"] = note.author?.uri.map { [$0] } ?? []
        parameters["AUTHOR-NAME"] = note.author?.name.map { [$0] } ?? []
        parameters["CREATED"] = note.created.map { [timestamp($0)] } ?? []
        return PropertyDraft(.note, .text(note.note), parameters)
    }

    func info(_ info: Card.PersonalInfo) -> PropertyDraft {
        let name: VCard.PropertyName =
            switch info.kind {
            case .expertise: .expertise
            case .hobby: .hobby
            case .interest: .interest
            }
        var parameters = parameters([], id: info.id, .personalInfo)
        parameters["LEVEL"] = info.level.map { [$0.vCardWord(for: info.kind)] } ?? []
        return PropertyDraft(name, .text(info.value), parameters)
    }

    func kind(_ kind: Card.Kind) -> PropertyDraft? {
        switch kind {
        case .individual: nil
        case .org where isOld && existing?.knownName != .kind: PropertyDraft(.xABShowAs, .text("COMPANY"))
        case .group where isOld && existing?.knownName != .kind:
            PropertyDraft(.xAddressBookServerKind, .text(kind.rawValue))
        default: PropertyDraft(.kind, .text(kind.rawValue))
        }
    }

    func member(_ uid: String) -> PropertyDraft {
        PropertyDraft(.memberName(in: version), uid.isURI ? .plain(uid) : .text(uid))
    }

    // MARK: Days

    func anniversary(_ anniversary: Card.Anniversary) -> PropertyDraft {
        var parameters = parameters([], id: anniversary.id, .anniversary)
        let value: VCard.Value
        switch anniversary.day {
        case .text(let text):
            if !isOld || DateAndTime(text) != nil { parameters["VALUE"] = ["text"] }
            value = .text(text)
        case .moment(let moment):
            value = .plain(timestamp(moment))
        case .date(let year, let month, let day):
            if year == nil, let omitted = omittedYear(month, day) {
                parameters["X-APPLE-OMIT-YEAR"] = [String(omitted)]
                value = .plain(date(omitted, month, day))
            } else {
                value = .plain(date(year, month, day))
            }
        }
        var draft = PropertyDraft(name(of: anniversary), value, parameters)
        if draft.name == .xABDate, anniversary.kind == .wedding {
            draft.companions[.label] = PropertyDraft(.xABLabel, .text(Label.bracketed("Anniversary")))
        }
        say(anniversary.place, of: anniversary.kind, in: &draft)
        return anniversary.label == nil ? draft : labelled(draft, anniversary.label)
    }

    /// The year that stands for an unknown one. Apple's programs need it in version 3.0, because they always write a
    /// year. Nil if the date is written without a year, because it lacks the month or the day, or because the existing
    /// property has no year.
    private func omittedYear(_ month: Int?, _ day: Int?) -> Int? {
        if let mark = existing?.parameters["X-APPLE-OMIT-YEAR"].first, let omitted = Int(mark) { return omitted }
        guard version == .v3_0, month != nil, day != nil, existing?.text.hasPrefix("-") != true else { return nil }
        // Apple's own choice: a leap year, so that it contains 29 February.
        return 1604
    }

    /// Adds the place of a birth or a death: in words, and as coordinates.
    private func say(
        _ place: Card.Anniversary.Place?, of kind: Card.Anniversary.Kind, in draft: inout PropertyDraft
    ) {
        let name: VCard.PropertyName
        switch kind {
        case .birth: name = .birthPlace
        case .death: name = .deathPlace
        case .wedding, .other: return
        }
        if let full = place?.full { draft.companions[.place] = PropertyDraft(name, .text(full)) }
        if let coordinates = place?.coordinates {
            draft.companions[.placeCoordinates] = PropertyDraft(name, .plain(coordinates), ["VALUE": ["uri"]])
        }
    }

    private func name(of anniversary: Card.Anniversary) -> VCard.PropertyName {
        switch anniversary.kind {
        case .birth: return .bday
        case .death: return .deathDate
        case .other: return .xABDate
        case .wedding:
            let known: [VCard.PropertyName] = [
                .anniversary, .xAnniversary, .xEvolutionAnniversary, .xKAddressBookAnniversary, .xMSAnniversary,
            ]
            if let name = existing?.knownName, known.contains(name) { return name }
            guard isOld || existing?.knownName == .xABDate else { return .anniversary }
            // In X-ABDATE, only the label marks a wedding, so a wedding with another label needs another property.
            return anniversary.label == nil ? .xABDate : isOld ? .xAnniversary : .anniversary
        }
    }

    /// Version 4.0 writes dates without hyphens, version 3.0 with them. Version 2.1 permits both.
    private func date(_ year: Int?, _ month: Int?, _ day: Int?) -> String {
        let hyphen = version == .v4_0 ? "" : "-"
        let day = day?.padded(2)
        guard let year else {
            return month.map { "--\($0.padded(2))" + (day.map { hyphen + $0 } ?? "") } ?? "---\(day ?? "")"
        }
        guard let month else { return year.padded(4) }
        // Without a hyphen, the month could be read as a day.
        return year.padded(4) + (day.map { hyphen + month.padded(2) + hyphen + $0 } ?? "-\(month.padded(2))")
    }

    /// Writes a moment, which is in RFC 3339 form. Version 4.0 omits the colons, and the hyphens of the date.
    func timestamp(_ moment: String) -> String {
        guard version == .v4_0 else { return moment }
        let time = moment.firstIndex(of: "T") ?? moment.endIndex
        return String(moment[..<time]).filter { $0 != "-" } + String(moment[time...]).filter { $0 != ":" }
    }

    // MARK: Relations

    func relation(_ relation: Card.Relation) -> PropertyDraft {
        let parameters = parameters([], id: relation.id, .relation)
        if let name = existing?.knownName, relation.relations == ["spouse"],
            [.xSpouse, .xMSSpouse, .xEvolutionSpouse, .xKAddressBookSpouse].contains(name)
        {
            return labelled(PropertyDraft(name, .text(relation.other), parameters), relation.label)
        }
        if relation.relations.isEmpty, existing.map({ $0.knownName == .xABRelatedNames }) ?? isOld {
            return labelled(PropertyDraft(.xABRelatedNames, .text(relation.other), parameters), relation.label)
        }
        if let label = appleLabel(relation) {
            return labelled(PropertyDraft(.xABRelatedNames, .text(relation.other), parameters), label)
        }
        let value: VCard.Value = relation.other.isURI ? .plain(relation.other) : .text(relation.other)
        var new = parameters
        // Version 4.0 replaces AGENT with RELATED (RFC 6350, appendix A.2).
        if relation.relations == ["agent"], existing.map({ $0.knownName == .agent }) ?? isOld {
            if relation.other.isURI { new["VALUE"] = ["uri"] }
            return labelled(PropertyDraft(.agent, value, new), relation.label)
        }
        let types = relation.relations.sorted()
        new["TYPE"] = isOld ? types.map { $0.uppercased() } : types
        if !relation.other.isURI { new["VALUE"] = ["text"] }
        return labelled(PropertyDraft(.related, value, new), relation.label)
    }

    /// Apple's predefined label for the whole relation; nil if there is none, or if the relation is not written as
    /// X-ABRELATEDNAMES.
    private func appleLabel(_ relation: Card.Relation) -> String? {
        guard existing.map({ $0.knownName == .xABRelatedNames }) ?? isOld else { return nil }
        guard relation.relations.count == 1, let word = relation.relations.first else { return nil }
        let text = relation.label ?? word
        let label = Label(Label.bracketed(text.prefix(1).uppercased() + text.dropFirst()))
        guard let said = label.relation, said.word == word, said.isAll == (relation.label == nil),
            said.isAll || label.words == relation.label
        else { return nil }
        return Label.bracketed(label.word)
    }
}

// MARK: - Resources

extension VCardWriter {
    /// The property for a resource: a photo, a link, a key. Nil if it is embedded in another vCard, because only that
    /// vCard has its bytes.
    func resource(_ resource: Card.Resource, _ family: CardPart.Family) -> PropertyDraft? {
        let name = resource.name(in: family, like: existing)
        var parameters = parameters(of: resource, family)
        var draft: PropertyDraft
        switch resource.content {
        case .embedded(_, let digest):
            guard let existing, existing.isEmbedded else { return nil }
            draft = PropertyDraft(name, .plain(""))
            draft.value = .embedded(digest: digest)
        case .uri(let uri):
            if isOld, let data = DataURI(uri), let bytes = data.bytes {
                // Before version 4.0, embedded data is base64 with a parameter that declares it.
                let type = resource.mediaType ?? data.mediaType ?? "text/plain"
                draft = PropertyDraft(name, .data(bytes, mediaType: type))
            } else {
                draft = PropertyDraft(name, uri.isURI ? .plain(uri) : .text(uri))
                if let type = resource.mediaType, DataURI(uri)?.mediaType != type {
                    if let word = typeWord(for: type) {
                        parameters["TYPE"] += [word]
                    } else {
                        parameters["MEDIATYPE"] = [type]
                    }
                }
                if let type = uriType(name, resource) { parameters["VALUE"] = [type] }
            }
        }
        draft.parameters = parameters
        return labelled(draft, resource.label)
    }

    /// The word of TYPE for a media type in versions before 4.0; nil if a separate parameter declares the type.
    private func typeWord(for type: String) -> String? {
        guard isOld, existing?.parameters["MEDIATYPE"].isEmpty != false else { return nil }
        return MediaType.word(for: type)
    }

    /// The value type to declare for a URI. Versions before 4.0 expect base64 in a photo, a logo, a sound or a key.
    private func uriType(_ name: VCard.PropertyName, _ resource: Card.Resource) -> String? {
        if let existing, let type = existing.parameters["VALUE"].first { return type }
        guard isOld, [.photo, .logo, .sound, .key].contains(name), existing == nil else { return nil }
        return version == .v2_1 ? "URL" : "uri"
    }
}

extension Card.Resource {
    /// The property for a resource of this family.
    func name(in family: CardPart.Family, like existing: VCard.Property?) -> VCard.PropertyName {
        switch (family, kind) {
        case (.media, .logo): .logo
        case (.media, .sound): .sound
        case (.media, _): .photo
        case (.link, .contact): .contactURI
        case (.link, _):
            existing?.knownName == .xEvolutionBlogURL || existing?.knownName == .xEvolutionVideoURL
                ? existing?.knownName ?? .url : .url
        case (.calendar, .freeBusy): .fburl
        case (.calendar, _): .calURI
        case (.schedulingAddress, _): .calAdrURI
        case (.directory, .directory): .orgDirectory
        case (.directory, _): .source
        default: .key
        }
    }
}
