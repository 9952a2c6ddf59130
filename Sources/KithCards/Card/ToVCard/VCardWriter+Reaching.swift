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
        let names = CardReading.messengers.filter { $0.service == service.service }.map(\.name)
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
