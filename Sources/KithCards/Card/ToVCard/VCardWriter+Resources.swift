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
