/// A card as JSContact writes it, in JSON (RFC 9553).
///
/// Encode it to give a card to another program, decode it to take one.
/// A card with a ``Card/uid`` is one of version 1.0, one without is one of
/// version 2.0 (RFC 9982), which is the same but for that. What JSContact has no words for is not written: days that are but a text or are of
/// the kind `other`, and the labels of days, addresses and relations. What is
/// read and ``Card`` has no words for is kept in ``further`` if it belongs to the
/// card itself; within its entries it is lost.
public struct JSContact: Hashable, Sendable {
    /// The card.
    public var card: Card
    /// The properties of its vCard that the card does not say, as jCard writes them (RFC 7095, section 3.3).
    public var vCardProperties: [FieldValue] = []
    /// What else the object has: `localizations`, and what programs have put into it for themselves.
    public var further: [String: FieldValue] = [:]

    /// A card alone. What is embedded in its vCard is left out.
    public init(_ card: Card) { self.card = card }

    /// The card of a vCard, and with it the properties that it does not say (RFC 9555, section 2.15.1).
    /// - Parameters:
    ///   - vCard: The vCard. Photos and the like that are not wanted are not decoded.
    ///   - embedding: Whether these are written too, as `data:` URIs; else they are left out.
    public init(_ vCard: VCard, embedding: Bool = false) {
        let reading = CardReading(of: vCard)
        card = embedding ? reading.wholeCard : reading.card
        card.forget(reading.places.filter { !reading.isSaid($0) })
        for property in reading.unsaid where embedding || !property.isEmbedded {
            if let (name, value) = property.jsProperty {
                further[name] = value
            } else {
                vCardProperties.append(property.jCard)
            }
        }
    }
}

extension Card {
    /// Takes out what `vCardProps` says in its place, so that nothing is said twice.
    fileprivate mutating func forget(_ places: [CardReading.Place]) {
        var days: Set<Int> = []
        for place in places {
            guard case .entry(let family, let index) = place.part else { continue }
            switch (family, place.aspect) {
            case (.anniversary, .itself): days.insert(index)
            case (.anniversary, _): anniversaries[index].label = nil
            case (.address, _): addresses[index].label = nil
            case (.relation, _): relatedTo[index].label = nil
            default: break
            }
        }
        anniversaries = anniversaries.enumerated().filter { !days.contains($0.offset) }.map(\.element)
    }
}

extension CardReading {
    /// The card, and in it what is embedded in its vCard, as `data:` URIs.
    var wholeCard: Card {
        var card = card
        for place in places where place.aspect == .itself {
            guard case .entry(let family, let index) = place.part, let path = family.resources,
                let data = vCard.properties[place.property].embedded
            else { continue }
            let type = card[keyPath: path][index].mediaType ?? data.mediaType
            card[keyPath: path][index].content = .uri(DataURI.text(data.bytes, mediaType: type))
        }
        return card
    }
}

extension VCard {
    /// A new vCard that says all of a card as JSContact has it (RFC 9555, section 3), as far as its version can.
    public init(_ contact: JSContact, version: Version = .v4_0) {
        let further = contact.further.sorted { $0.key < $1.key }.map { name, value in
            NewProperty(PropertyName.jsProp.rawValue, .text(CanonicalForm.text(value)), ["JSPTR": [name]])
        }
        let others = contact.vCardProperties.compactMap { NewProperty(jCard: $0) } + further
        self.init(contact.card, version: version, beside: others)
    }
}

extension JSContact: Codable {
    /// Reads a `Card` object.
    public init(from decoder: any Decoder) throws {
        let fields = try [String: FieldValue](from: decoder)
        do throws(JSFields.Fault) {
            try self.init(JSFields(fields))
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: error.sentence))
        }
    }

    /// Writes a `Card` object.
    public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension CardPart.Family {
    /// Where a card keeps its resources of this family; nil if they are none.
    fileprivate var resources: WritableKeyPath<Card, [Card.Resource]>? {
        switch self {
        case .media: \.media
        case .link: \.links
        case .calendar: \.calendars
        case .cryptoKey: \.cryptoKeys
        case .directory: \.directories
        case .schedulingAddress: \.schedulingAddresses
        default: nil
        }
    }
}
