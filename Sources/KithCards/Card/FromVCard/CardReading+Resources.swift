extension CardReading {
    /// The rules of what a card points to or carries.
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
        _ statement: CardProperty, to path: WritableKeyPath<Card, [Card.Resource]>, _ family: CardPart.Family,
        _ kind: Card.Resource.Kind?
    ) {
        let content: Card.Resource.Content
        if statement.property.isEmbedded {
            let seal = EmbeddedDigest(statement.property.writtenValue)
            content = .embedded(size: seal.size, digest: seal.digest)
        } else {
            let uri = statement.text
            guard !uri.isEmpty else { return }
            content = .uri(uri)
        }
        let resource = Card.Resource(id: "", kind: kind, content: content, mediaType: MediaType.read(statement))
        add(resource, to: path, family, statement)
    }
}

extension MediaType {
    /// What a property says of its data: MEDIATYPE of version 4.0, TYPE of the older ones, a `data:` URI of itself.
    fileprivate static func read(_ statement: CardProperty) -> String? {
        if let type = statement["MEDIATYPE"] { return type.lowercased() }
        if let type = statement.types.lazy.compactMap(mediaType).first { return type }
        guard statement.property.isEmbedded, !statement.property.isBase64 else { return nil }
        return DataURI(statement.property.writtenValue)?.mediaType
    }
}
