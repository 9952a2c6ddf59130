public import KithCards
public import KithModel

extension AddressBook {
    /// Someone in the address book, or a company or a group: one card, or several that are linked.
    ///
    /// Equal contacts show the same. What is shown is put together from the cards
    /// when it is asked for, so that a hundred thousand contacts are cheap to hold.
    public struct Contact: Hashable, Sendable, Identifiable {
        /// The identity of a contact: the source and the reference of its oldest card.
        ///
        /// It is the same in each load. ``AddressBook/contact(_:)`` finds a contact by the id of any of its cards, so a
        /// stored id stays valid as long as that card exists, whatever is linked to it.
        public struct ID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
            /// The id as text.
            public let rawValue: String

            /// The id of this text.
            public init(rawValue: String) { self.rawValue = rawValue }

            init(_ source: SourceID, _ reference: CardReference) {
                rawValue = source.prefixOfIDs + reference.name
            }

            /// The id as text.
            public var description: String { rawValue }

            func isOf(_ source: SourceID) -> Bool { rawValue.hasPrefix(source.prefixOfIDs) }
        }

        /// The identity of the contact.
        public let id: ID
        /// The cards, beginning with the one whose name is shown. Never empty.
        let filed: [FiledCard]
        /// The sort key.
        let order: NameOrder
        /// The title of its section: the first letter of its sort key, or `#`.
        public let sectionTitle: String
        /// The known accounts of identities.
        var matches = ContactMatches.none

        /// The cards of the contact, beginning with the one whose name is shown. Never empty.
        public var cards: [SourcedCard] { filed.map(SourcedCard.init) }

        /// Whether a card contains a photo. ``AddressBook/photo(of:)`` reads it.
        public var hasPhoto: Bool { filed.contains { $0.card.media.contains(where: \.isEmbeddedPhoto) } }

        /// Whether both contacts have the same content.
        public static func == (left: Self, right: Self) -> Bool {
            left.id == right.id && left.sectionTitle == right.sectionTitle && left.order == right.order
                && left.filed == right.filed
                && (left.matches === right.matches || left.accounts == right.accounts)
        }

        /// Hashes the id.
        public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// A card with its origin.
    public struct SourcedCard: Hashable, Sendable, Identifiable {
        /// The source of the card.
        public let source: SourceID
        /// The reference of the card in its source.
        public let reference: CardReference
        /// The card.
        public let card: Card

        /// The id of a contact of this card alone.
        public var id: Contact.ID { Contact.ID(source, reference) }

        init(_ filed: FiledCard) { (source, reference, card) = (filed.source, filed.reference, filed.card) }
    }

    /// The identity of a source. An app chooses the ids of its own sources; stored sources are `source-1`, `source-2` …
    public struct SourceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// The source of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// The prefix of the ids of all its cards. No other source has it.
        var prefixOfIDs: String {
            guard rawValue.contains(where: { $0 == "/" || $0 == "%" }) else { return rawValue + "/" }
            return rawValue.replacing("%", with: "%25").replacing("/", with: "%2F") + "/"
        }
    }

    /// The contacts under one letter.
    public struct Section: Hashable, Sendable, Identifiable {
        /// The letter; `#` for contacts that do not begin with a letter.
        public let title: String
        /// The contacts, in order.
        public let contacts: [Contact]

        /// The title, which is unique.
        public var id: String { title }
    }
}

extension Card.Resource {
    var isEmbeddedPhoto: Bool {
        guard kind == .photo, case .embedded = content else { return false }
        return true
    }
}

extension AddressBook {
    /// The part of a name by which contacts are sorted first.
    public enum NameOrder: String, Hashable, Sendable, Codable, CaseIterable {
        /// `Lovelace, Ada`.
        case familyFirst
        /// `Ada Lovelace`.
        case givenFirst
    }
}

extension AddressBook.Contact {
    /// The name to show: the card's full name, else the parts of the name, a nickname, the company, an email or a number.
    ///
    /// Never empty: `…` for a card without any of these.
    public var displayName: String {
        first { $0.name.displayText } ?? first { $0.nicknames.first?.name } ?? organization
            ?? first { $0.emails.first?.address } ?? first { $0.phones.first?.number } ?? "…"
    }

    /// The first company.
    public var organization: String? { first { $0.organizations.first?.shown } }

    /// The sort key as text: `Lovelace, Ada`.
    public var sortName: String { sortFields.joined(separator: ", ") }

    /// The sort fields, the most significant first.
    ///
    /// The pronunciation of a name precedes its spelling, and the card's own sort string precedes both.
    var sortFields: [String] {
        for card in filed.lazy.map(\.card) {
            let fields = card.name.sortFields(order)
            if !fields.isEmpty { return fields }
        }
        if let sortAs = first({ $0.organizations.first?.sortAs }) { return [sortAs] }
        return [displayName]
    }

    private func first(_ text: (Card) -> String?) -> String? {
        for card in filed {
            if let text = text(card.card), text.contains(where: { !$0.isWhitespace }) { return text }
        }
        return nil
    }
}

extension Card.Name {
    func sortFields(_ order: AddressBook.NameOrder) -> [String] {
        let family = sortText(.surname) ?? sortText(.surname2)
        let given = sortText(.given)
        let fields = order == .familyFirst ? [family, given] : [given, family]
        let present = fields.compactMap(\.self)
        if present.isEmpty { return displayText.map { [$0] } ?? [] }
        return present + [sortText(.given2), sortText(.generation)].compactMap(\.self)
    }

    private func sortText(_ kind: Kind) -> String? {
        if let sortAs = sortAs[kind], !sortAs.isEmpty { return sortAs }
        var joined: String?
        for component in components where component.kind == kind {
            let text = component.phonetic ?? component.value
            if !text.isEmpty, joined != nil { joined? += " " + text } else if !text.isEmpty { joined = text }
        }
        return joined
    }
}

extension Card.Organization {
    /// The company, else the first of its units.
    var shown: String? { name ?? units.first { !$0.isEmpty } }
}

extension AddressBook {
    /// A phone number of a contact.
    public struct ContactPhone: Hashable, Sendable {
        /// The text on the card.
        public let original: String
        /// The E.164 form, by which numbers are compared; nil for a short code or a text that is no number.
        public let number: E164?
        /// The label to show: `mobile`, `work fax`, or the user's own label.
        public let label: String
        /// The kind of number, for programs.
        public let features: Set<Card.Phone.Feature>
        /// Whether it is for home or for work.
        public let contexts: Set<Card.Context>
    }

    /// An email address of a contact.
    public struct ContactEmail: Hashable, Sendable {
        /// The text on the card.
        public let original: String
        /// The canonical form, by which addresses are compared; nil for a text that is no address.
        public let address: EmailAddress?
        /// The label to show: `home`, `work`, or the user's own label.
        public let label: String
        /// Whether it is for home or for work.
        public let contexts: Set<Card.Context>
    }
}

extension AddressBook.Contact {
    /// The numbers of all its cards in order, each number once regardless of its spelling.
    public var phones: [AddressBook.ContactPhone] {
        var seen: Set<PhoneIdentity> = []
        return filed.flatMap { filed in
            zip(filed.card.phones, filed.details.numbers).compactMap { phone, number in
                guard seen.insert(PhoneIdentity(phone.number, number)).inserted else { return nil }
                return AddressBook.ContactPhone(
                    original: phone.number, number: number, label: phone.labelForPeople, features: phone.features,
                    contexts: phone.contexts)
            }
        }
    }

    /// The email addresses of all its cards in order, each once regardless of its spelling.
    public var emails: [AddressBook.ContactEmail] {
        var seen: Set<String> = []
        return filed.flatMap { filed in
            zip(filed.card.emails, filed.details.addresses).compactMap { email, address in
                guard seen.insert(address?.text ?? email.address).inserted else { return nil }
                return AddressBook.ContactEmail(
                    original: email.address, address: address, label: email.labelForPeople, contexts: email.contexts)
            }
        }
    }
}

/// The identity by which two written numbers are equal: the E.164 form, else the digits, else the text.
enum PhoneIdentity: Hashable {
    case e164(E164)
    case digits([UInt8])
    case text(String)

    init(_ text: String, _ number: E164?) {
        if let number {
            self = .e164(number)
        } else {
            let digits = Digits.read(text)
            self = digits.isEmpty ? .text(text) : .digits(digits)
        }
    }
}

extension Card.Phone {
    var labelForPeople: String {
        if let label = Labels.forPeople(label) { return label }
        let features = Labels.features.filter { self.features.contains($0.feature) }.map(\.word)
        let words = Labels.words(contexts) + features + typesForPeople
        return words.isEmpty ? "phone" : words.joined(separator: " ")
    }
}

extension Card.Email {
    var labelForPeople: String {
        Labels.forPeople(label) ?? typesForPeople.first ?? Labels.words(contexts).first ?? "email"
    }
}

/// The labels of numbers and addresses.
private enum Labels {
    static let features: [(feature: Card.Phone.Feature, word: String)] = [
        (.mobile, "mobile"), (.mainNumber, "main"), (.fax, "fax"), (.pager, "pager"), (.textphone, "textphone"),
    ]

    static func words(_ contexts: Set<Card.Context>) -> [String] {
        (contexts.contains(.private) ? ["home"] : []) + (contexts.contains(.work) ? ["work"] : [])
    }

    /// A label to show. Apple's own labels are stored as `_$!<Mobile>!$_` and shown as `mobile`.
    static func forPeople(_ label: String?) -> String? {
        guard let label, !label.isEmpty else { return nil }
        guard label.hasPrefix("_$!<"), label.hasSuffix(">!$_") else { return label }
        return label.dropFirst(4).dropLast(4).lowercased()
    }
}
