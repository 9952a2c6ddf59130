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
        card = reading.card
        for property in reading.unsaid {
            if let (name, value) = property.jsProperty {
                further[name] = value
            } else {
                vCardProperties.append(property.jCard)
            }
        }
        if embedding { embed(reading, vCard) }
    }

    private mutating func embed(_ reading: CardReading, _ vCard: VCard) {
        for place in reading.places where place.aspect == .itself {
            guard case .entry(let family, let index) = place.part, let path = family.resources,
                let data = vCard.properties[place.property].embedded
            else { continue }
            let type = card[keyPath: path][index].mediaType ?? data.mediaType
            card[keyPath: path][index].content = .uri(DataURI.uri(data.bytes, mediaType: type))
        }
    }
}

extension VCard {
    /// A new vCard that says all of a card as JSContact has it (RFC 9555, section 3), as far as its version can.
    public init(_ contact: JSContact, version: Version = .v4_0) {
        self.init(contact.card, version: version)
        for property in contact.vCardProperties { append(jCard: property) }
        for (name, value) in contact.further.sorted(by: { $0.key < $1.key }) {
            append(Name.jsProp.rawValue, .text(CanonicalForm.text(value)), parameters: ["JSPTR": [name]])
        }
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
