/// In which words a property is written: those of its version, and of the property that says the same so far.
struct VCardWriter {
    let version: VCard.Version
    /// The property that says the same part, if there is one.
    var existing: VCard.Property?
    /// What properties of their own say of the part.
    var apart: Set<Aspect> = []
    /// The place of the entry in a card that is written for the first time, by which its id is made again.
    var place: Int?

    var isOld: Bool { version != .v4_0 }

    /// Whether a parameter says this, as in version 4.0, or a property of its own, as before.
    func isParameter(_ name: String, _ aspect: Aspect) -> Bool {
        if apart.contains(aspect) { return false }
        return !isOld || existing.map { !$0.parameters[name].isEmpty } ?? false
    }

    /// The parameters of an entry that has its place in someone's life.
    func parameters(_ words: [String], pref: Int? = nil, id: String, _ family: CardPart.Family) -> VCard.Parameters {
        var parameters = VCard.Parameters()
        var types = words
        // The versions before 4.0 know what is preferred, but not in which order.
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
    /// The words of TYPE for these, in an order that is always the same.
    var words: [String] { Card.Context.allCases.filter(contains).map(\.typeWord) }
}

extension Set<Card.Phone.Feature> {
    /// The words of TYPE for these, in an order that is always the same.
    var words: [String] { Card.Phone.Feature.allCases.filter(contains).map(\.typeWord) }
}

// MARK: - A part of a card

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
        case .entry(let family, let place): family.row.draft(of: place, in: card, by: self)
        }
    }
}

// MARK: - Names

extension VCardWriter {
    /// `FN`: the whole name as the card gives it, else one made of the parts for readers that need one.
    func fullName(of card: Card) -> PropertyDraft? {
        if let full = card.name.full { return PropertyDraft(.fn, .text(full)) }
        guard version != .v2_1 else { return nil }
        let derived = card.name.displayText ?? card.anyName
        var draft = PropertyDraft(.fn, .text(derived ?? ""), ["DERIVED": ["TRUE"]])
        draft.isDerived = true
        return draft
    }

    /// `N`, with what to sort by and how it sounds.
    func name(of card: Card) -> PropertyDraft? {
        let name = card.name
        var draft = PropertyDraft(.n, .components(NameLayout.values(of: name.components, isOld: isOld)))
        // The versions before 4.0 require it.
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
                // One value in quotes, as RFC 6350 shows it.
                draft.parameters["SORT-AS"] = [values.joined(separator: ",")]
            }
        }
        draft.carry(name.vCardParameters)
        addSounds(of: name, to: &draft)
        let isEmpty = name.components.isEmpty && draft.companions.isEmpty && draft.parameters.isEmpty
        return isEmpty && !draft.isDerived ? nil : draft
    }

    /// How the parts sound: in a second `N` where the card says how sounds are written, else as Apple and Google do.
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

    /// `NICKNAME`, which can hold several that are alike.
    func nickname(_ nickname: Card.Nickname) -> PropertyDraft {
        PropertyDraft(.nickname, .list([nickname.name]), parameters(of: nickname, .nickname))
    }

    func organization(_ organization: Card.Organization) -> PropertyDraft {
        var parameters = parameters(organization.contexts.words, id: organization.id, .organization)
        parameters["SORT-AS"] = organization.sortAs.map { [$0] } ?? []
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

// MARK: - What reaches someone

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

    /// A draft with what its owner calls it.
    func labelled(_ draft: PropertyDraft, _ label: String?) -> PropertyDraft {
        var draft = draft
        if let label { draft.companions[.label] = PropertyDraft(.xABLabel, .text(label)) }
        return draft
    }

    // MARK: Services

    /// A messenger or a network, in the property that programs of the version look for.
    func onlineService(_ service: Card.OnlineService) -> PropertyDraft {
        var draft = messenger(service) ?? (isOld ? oldService(service) : newService(service))
        draft.parameters = merged(parameters(of: service, .onlineService), draft.parameters)
        return labelled(draft, service.label)
    }

    /// `X-AIM` and its like, which know but a name: as it is there, or before version 4.0 where there is no more to say.
    private func messenger(_ service: Card.OnlineService) -> PropertyDraft? {
        guard let user = service.user, service.uri == nil else { return nil }
        let names = CardBuilder.messengers.filter { $0.service == service.service }.map(\.name)
        if let name = existing?.knownName, names.contains(name) { return PropertyDraft(name, .text(user)) }
        guard isOld, existing == nil, service.service != nil, let name = names.first else { return nil }
        return PropertyDraft(name, .text(user))
    }

    private func newService(_ service: Card.OnlineService) -> PropertyDraft {
        var parameters = VCard.Parameters()
        parameters["SERVICE-TYPE"] = service.service.map { [$0] } ?? []
        guard let uri = service.uri else {
            parameters["VALUE"] = ["text"]
            return PropertyDraft(.socialProfile, .text(service.user ?? ""), parameters)
        }
        parameters["USERNAME"] = service.user.map { [$0] } ?? []
        let isMessenger = existing.map { $0.knownName == .impp } ?? (service.user == nil && uri.isOfMessenger)
        return PropertyDraft(isMessenger ? .impp : .socialProfile, .plain(uri), parameters)
    }

    private func oldService(_ service: Card.OnlineService) -> PropertyDraft {
        var parameters = VCard.Parameters()
        parameters["X-SERVICE-TYPE"] = service.service.map { [$0] } ?? []
        guard let uri = service.uri else {
            return PropertyDraft(.impp, .text(service.user ?? ""), merged(["VALUE": ["text"]], parameters))
        }
        parameters["X-USER"] = service.user.map { [$0] } ?? []
        // At a network without a name, a word of TYPE would be its name.
        let isNamed = service.service != nil || service.vCardParameters["TYPE"].isEmpty
        let isMessenger = existing.map { $0.knownName == .impp } ?? (uri.isOfMessenger || !isNamed)
        if !isMessenger, existing?.parameters["X-SERVICE-TYPE"].isEmpty != false, let name = service.service,
            name.isTypeWord
        {
            // Apple's programs look for the name of a network among the words of TYPE.
            (parameters["X-SERVICE-TYPE"], parameters["TYPE"]) = ([], [name])
        }
        return PropertyDraft(isMessenger ? .impp : .xSocialProfile, .plain(uri), parameters)
    }

    func merged(_ left: VCard.Parameters, _ right: VCard.Parameters) -> VCard.Parameters {
        var merged = left
        for parameter in right { merged[parameter.name] += parameter.values }
        return merged
    }
}

extension VCard.Property {
    /// Whether it says that its value is a URI, or has one of a telephone.
    fileprivate var saysTelephoneURI: Bool {
        parameters["VALUE"].first?.lowercased() == "uri" || text.hasPrefixIgnoringCase("tel:")
    }
}

extension String {
    /// Whether a `tel:` URI can say the number without knowing more: it begins with the code of a country (RFC 3966).
    fileprivate var isInternational: Bool {
        guard first == "+" else { return false }
        let (number, rest) = (dropFirst().prefix { $0 != ";" }, drop { $0 != ";" })
        let signs = "0123456789-.()"
        return number.contains(where: \.isNumber) && number.allSatisfy(signs.contains)
            && rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ";=-.+".contains($0)) }
    }

    /// Whether it can be a word of TYPE that says nothing that the model knows.
    fileprivate var isTypeWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "-") || 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 }
            && Card.Context(typeWord: self) == nil && lowercased() != "pref"
    }

    /// Whether a URI is one of a messenger (RFC 4770, section 1).
    fileprivate var isOfMessenger: Bool {
        ["aim:", "gg:", "icq:", "im:", "irc:", "matrix:", "msnim:", "sip:", "skype:", "xmpp:", "ymsgr:"]
            .contains(where: hasPrefixIgnoringCase)
    }
}

// MARK: - Addresses

extension VCardWriter {
    /// `ADR`, with what stands beside it.
    func address(_ address: Card.Address) -> PropertyDraft {
        let values = AddressLayout.values(of: address.components, isOld: isOld)
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
            // Before version 4.0 the two numbers stand alone.
            let numbers = uri.afterPrefix("geo:")?.split(separator: ",") ?? []
            let isPair = isOld && numbers.count == 2 && numbers.allSatisfy { Double($0) != nil }
            return PropertyDraft(.geo, .plain(isPair ? numbers.joined(separator: ";") : uri))
        }
        say(address.timeZone, "TZ", .timeZone, in: &draft) { PropertyDraft(.tz, .text($0)) }
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

extension AddressLayout {
    /// The components of `ADR` for these parts, each with its values.
    ///
    /// Where parts are that only RFC 9554 has components for, all of them are
    /// used, and older readers find the parts among the old ones too. Before
    /// version 4.0 that is their only place.
    static func values(of parts: [Card.Address.Component], isOld: Bool) -> [[String]] {
        let parts = parts.filter { $0.kind != .separator }
        let of = { (kind: Card.Address.Kind) in parts.filter { $0.kind == kind }.map(\.value) }
        let values = kinds.enumerated().map { index, kind in
            twins[index].map { twins in parts.filter { twins.contains($0.kind) }.map(\.value) } ?? of(kind)
        }
        return isOld || isPlain(parts) ? Array(values.prefix(old)) : values
    }
}

// MARK: - Resources

extension VCardWriter {
    /// A photo, a link, a key; nil if it stands in another vCard, which alone has its bytes.
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
                // Before version 4.0 a parameter says that the value is base64.
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

    /// The word of TYPE by which the versions before 4.0 say a media type; nil where a parameter of its own says it.
    private func typeWord(for type: String) -> String? {
        guard isOld, existing?.parameters["MEDIATYPE"].isEmpty != false else { return nil }
        return MediaType.word(for: type)
    }

    /// What the versions before 4.0 need to be told, as they expect base64.
    private func uriType(_ name: VCard.PropertyName, _ resource: Card.Resource) -> String? {
        if let existing, let type = existing.parameters["VALUE"].first { return type }
        guard isOld, [.photo, .logo, .sound, .key].contains(name), existing == nil else { return nil }
        return version == .v2_1 ? "URL" : "uri"
    }
}

extension Card.Resource {
    /// The property for a resource of these.
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
