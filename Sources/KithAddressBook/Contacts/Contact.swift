public import KithCards
public import KithModel

extension AddressBook {
    /// Someone in the address book, or a company or a group: one card, or several that are linked.
    ///
    /// Equal contacts show the same. What is shown is put together from the cards
    /// when it is asked for, so that a hundred thousand contacts are cheap to hold.
    public struct Contact: Hashable, Sendable, Identifiable {
        /// Which contact it is: the name of its oldest card, by source and reference.
        ///
        /// It stays the same from load to load, and ``AddressBook/contact(_:)`` finds a contact by the id of any
        /// of its cards: an id that an app has kept is good as long as that card is there, whatever is linked to it.
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

        /// Which contact it is.
        public let id: ID
        /// Its cards, first the one whose name is shown. Never empty.
        let filed: [FiledCard]
        /// What it is sorted by.
        let order: NameOrder
        /// The title of the section that it stands in: the letter that it is sorted under, or `#`.
        public let sectionTitle: String
        /// Who is on the service.
        var matches = ContactMatches.none

        /// The cards of which it is made: one or more, first the one whose name is shown.
        public var cards: [SourcedCard] { filed.map(SourcedCard.init) }

        /// Whether a card has a photo in it: ``AddressBook/photo(of:)`` reads it.
        public var hasPhoto: Bool { filed.contains { $0.card.media.contains(where: \.isEmbeddedPhoto) } }

        /// Whether both show the same.
        public static func == (left: Self, right: Self) -> Bool {
            left.id == right.id && left.sectionTitle == right.sectionTitle && left.order == right.order
                && left.filed == right.filed
                && (left.matches === right.matches || left.accounts == right.accounts)
        }

        /// Hashes the id.
        public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// A card, and where it is from.
    public struct SourcedCard: Hashable, Sendable, Identifiable {
        /// The source that it is from.
        public let source: SourceID
        /// What the source calls it.
        public let reference: CardReference
        /// The card.
        public let card: Card

        /// The id of a contact that would consist of this card alone.
        public var id: Contact.ID { Contact.ID(source, reference) }

        init(_ filed: FiledCard) { (source, reference, card) = (filed.source, filed.reference, filed.card) }
    }

    /// Which source it is. An app names its own; those that Kith keeps are `source-1`, `source-2` …
    public struct SourceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// The source of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// What the ids of all its cards begin with, and no other source's.
        var prefixOfIDs: String {
            guard rawValue.contains(where: { $0 == "/" || $0 == "%" }) else { return rawValue + "/" }
            return rawValue.replacing("%", with: "%25").replacing("/", with: "%2F") + "/"
        }
    }

    /// The contacts that stand under one letter.
    public struct Section: Hashable, Sendable, Identifiable {
        /// The letter, or `#` for those that begin with none.
        public let title: String
        /// The contacts, in the order of the book.
        public let contacts: [Contact]

        /// The title, which no other section has.
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
    /// Which part of a name contacts are sorted by first.
    public enum NameOrder: String, Hashable, Sendable, Codable, CaseIterable {
        /// `Lovelace, Ada`.
        case familyFirst
        /// `Ada Lovelace`.
        case givenFirst
    }
}

extension AddressBook.Contact {
    /// What to show: the full name as the card gives it, else its parts, else a nickname, the company, an email, a number.
    ///
    /// Never empty: a card without any of these is shown as `…`.
    public var displayName: String {
        first { $0.name.displayText } ?? first { $0.nicknames.first?.name } ?? organization
            ?? first { $0.emails.first?.address } ?? first { $0.phones.first?.number } ?? "…"
    }

    /// The company that is named first.
    public var organization: String? { first { $0.organizations.first?.shown } }

    /// What it is sorted by, as text: `Lovelace, Ada`.
    public var sortName: String { sortFields.joined(separator: ", ") }

    /// What it is sorted by, the weightiest first.
    ///
    /// How a name is pronounced goes before how it is written, and what the card wants to be sorted by before both.
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
    /// A telephone number of a contact.
    public struct ContactPhone: Hashable, Sendable {
        /// As it was written on the card.
        public let original: String
        /// Its one true form, by which it is found and compared; nil for a short code, and for what is no number.
        public let number: E164?
        /// What it is for, for people: `mobile`, `work fax`, or the label that they gave it.
        public let label: String
        /// What it is for, for programs.
        public let features: Set<Card.Phone.Feature>
        /// Where it belongs.
        public let contexts: Set<Card.Context>
    }

    /// An email address of a contact.
    public struct ContactEmail: Hashable, Sendable {
        /// As it was written on the card.
        public let original: String
        /// In canonical form, by which it is found and compared; nil for what is no address.
        public let address: EmailAddress?
        /// What it is for, for people: `home`, `work`, or the label that they gave it.
        public let label: String
        /// Where it belongs.
        public let contexts: Set<Card.Context>
    }
}

extension AddressBook.Contact {
    /// The numbers of all its cards, in their order; each number once, however it is written.
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

    /// The addresses of all its cards, in their order; each once, however it is written.
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

/// What makes two written numbers one: their E.164 form, else their digits, else all that was written.
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

/// The words that say what a number or an address is for.
private enum Labels {
    static let features: [(feature: Card.Phone.Feature, word: String)] = [
        (.mobile, "mobile"), (.mainNumber, "main"), (.fax, "fax"), (.pager, "pager"), (.textphone, "textphone"),
    ]

    static func words(_ contexts: Set<Card.Context>) -> [String] {
        (contexts.contains(.private) ? ["home"] : []) + (contexts.contains(.work) ? ["work"] : [])
    }

    /// A label as people see it: Apple's own are written `_$!<Mobile>!$_`, and shown as `mobile`.
    static func forPeople(_ label: String?) -> String? {
        guard let label, !label.isEmpty else { return nil }
        guard label.hasPrefix("_$!<"), label.hasSuffix(">!$_") else { return label }
        return label.dropFirst(4).dropLast(4).lowercased()
    }
}
