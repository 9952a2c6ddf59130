/// Writes an account at a messenger or a social network, in the property that programs of the vCard's version read.
struct OnlineServiceWriter {
    let writer: VCardWriter

    /// The draft for an account at a messenger or a social network.
    func draft(of service: Card.OnlineService) -> PropertyDraft {
        var draft = messenger(service) ?? (writer.isOld ? oldService(service) : newService(service))
        draft.parameters = writer.merged(writer.parameters(of: service, .onlineService), draft.parameters)
        return writer.labelled(draft, service.label)
    }

    /// A property such as `X-AIM`, which holds only a user name. It is used if the existing property is one, or before
    /// version 4.0 for a new service that has nothing but a user name.
    private func messenger(_ service: Card.OnlineService) -> PropertyDraft? {
        guard let user = service.user, service.uri == nil else { return nil }
        let names = CardBuilder.messengers.filter { $0.service == service.service }.map(\.name)
        if let name = writer.existing?.knownName, names.contains(name) { return PropertyDraft(name, .text(user)) }
        guard writer.isOld, writer.existing == nil, service.service != nil, let name = names.first else { return nil }
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
        let isMessenger = writer.existing.map { $0.knownName == .impp } ?? (service.user == nil && uri.isOfMessenger)
        return PropertyDraft(isMessenger ? .impp : .socialProfile, .plain(uri), parameters)
    }

    private func oldService(_ service: Card.OnlineService) -> PropertyDraft {
        var parameters = VCard.Parameters()
        parameters["X-SERVICE-TYPE"] = service.service.map { [$0] } ?? []
        guard let uri = service.uri else {
            return PropertyDraft(.impp, .text(service.user ?? ""), writer.merged(["VALUE": ["text"]], parameters))
        }
        parameters["X-USER"] = service.user.map { [$0] } ?? []
        // In X-SOCIALPROFILE, a word of TYPE would be read as the name of a service that has none.
        let isNamed = service.service != nil || service.vCardParameters["TYPE"].isEmpty
        let isMessenger = writer.existing.map { $0.knownName == .impp } ?? (uri.isOfMessenger || !isNamed)
        if !isMessenger, writer.existing?.parameters["X-SERVICE-TYPE"].isEmpty != false, let name = service.service,
            name.isTypeWord
        {
            // Apple's programs read the name of a social network from TYPE.
            (parameters["X-SERVICE-TYPE"], parameters["TYPE"]) = ([], [name])
        }
        return PropertyDraft(isMessenger ? .impp : .xSocialProfile, .plain(uri), parameters)
    }
}

extension String {
    /// Whether it can be a word of TYPE, and has no other meaning there.
    fileprivate var isTypeWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isLetterOrDigit }
            && Card.Context(typeWord: self) == nil && lowercased() != "pref"
    }

    /// Whether the URI has the scheme of a messenger (RFC 4770, section 1).
    fileprivate var isOfMessenger: Bool {
        ["aim:", "gg:", "icq:", "im:", "irc:", "matrix:", "msnim:", "sip:", "skype:", "xmpp:", "ymsgr:"]
            .contains(where: hasPrefixIgnoringCase)
    }
}
