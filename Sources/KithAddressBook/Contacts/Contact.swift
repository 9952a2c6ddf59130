import KithCards
public import KithModel

/// A person, a company or a group in the address book: one card, or several that are linked.
///
/// Contacts are equal if they show the same. Derived values are computed from the cards when they are requested, so
/// that 100,000 contacts need little memory.
public struct Contact: Hashable, Sendable, Identifiable {
    /// The identity of a contact: the source and the reference of its oldest card.
    ///
    /// It stays the same from load to load. ``AddressBook/contact(_:)`` finds a contact by the id of any of its cards,
    /// so a stored id stays valid as long as that card exists, even if the card is linked with others.
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
    let indexed: [IndexedCard]
    /// The order in which the names are sorted.
    let order: NameOrder
    /// The title of its section: the first letter of its sort key, or `#`.
    public let sectionTitle: String
    /// The known accounts of identities.
    var matches = ContactMatches.none

    /// The cards of the contact, beginning with the one whose name is shown. Never empty.
    public var cards: [SourcedCard] { indexed.map(SourcedCard.init) }

    /// Whether a card contains a photo. ``AddressBook/photo(of:)`` reads it.
    public var hasPhoto: Bool { indexed.contains { $0.card.media.contains(where: \.isEmbeddedPhoto) } }

    /// Whether both contacts have the same content.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.sectionTitle == right.sectionTitle && left.order == right.order
            && left.indexed == right.indexed
            && (left.matches === right.matches || left.accounts == right.accounts)
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Contact {
    /// The name to show: the card's full name, else the parts of the name, a nickname, the company, an email or a
    /// number.
    ///
    /// Never empty: `…` for a card without any of these.
    public var displayName: String {
        first { $0.card.name.displayText } ?? first { $0.card.nicknames.first?.name } ?? organization
            ?? first { $0.card.emails.first?.address } ?? first { $0.card.phones.first?.number } ?? "…"
    }

    /// The first company.
    public var organization: String? { first { $0.card.organizations.first?.shown } }

    /// The language that the contact prefers, as a tag such as `de-AT`: the property LANG of the first card that has one; nil
    /// if none has.
    public var preferredLanguage: String? {
        first { indexed in
            let best = indexed.card.preferredLanguages.min { ($0.pref ?? 101) < ($1.pref ?? 101) }
            return best.map(\.language).flatMap { LanguageTag.isTag($0) ? $0 : nil }
        }
    }

    /// The sort key as text: `Lovelace, Ada`.
    public var sortName: String { sortFields.joined(separator: ", ") }

    /// The sort fields, the most significant first.
    ///
    /// The pronunciation of a name has precedence over its spelling, and the card's own sort string over both.
    var sortFields: [String] {
        for indexed in indexed {
            let fields = indexed.card.name.sortFields(order)
            if !fields.isEmpty { return fields }
        }
        if let sortAs = first({ $0.card.organizations.first?.sortAs }) { return [sortAs] }
        return [displayName]
    }

    /// The first text that is not blank. The closure receives the object, because passing its card would copy all
    /// fields.
    private func first(_ text: (IndexedCard) -> String?) -> String? {
        for card in indexed {
            if let text = text(card), text.contains(where: { !$0.isWhitespace }) { return text }
        }
        return nil
    }
}

extension Contact {
    /// The numbers of all its cards in order, without duplicates in other spellings. Extensions of a switchboard are
    /// different numbers.
    public var phones: [ContactPhone] {
        var seen: Set<ContactPhone.Identity> = []
        return indexed.flatMap { indexed in
            zip(indexed.card.phones, indexed.details.numbers).compactMap { phone, number in
                let identity = ContactPhone.Identity(
                    number: PhoneIdentity(phone.number, number), extension: indexed.extension(of: phone.number))
                guard seen.insert(identity).inserted else { return nil }
                return ContactPhone(
                    original: phone.number, number: number, extension: identity.extension,
                    label: phone.labelForPeople, features: phone.features, contexts: phone.contexts)
            }
        }
    }

    /// The email addresses of all its cards in order, without duplicates in other spellings.
    public var emails: [ContactEmail] {
        var seen: Set<String> = []
        return indexed.flatMap { indexed in
            zip(indexed.card.emails, indexed.details.addresses).compactMap { email, address in
                guard seen.insert(address?.text ?? email.address).inserted else { return nil }
                return ContactEmail(
                    original: email.address, address: address, label: email.labelForPeople, contexts: email.contexts)
            }
        }
    }
}

extension Contact {
    /// The accounts that `Discovery` has found for the contact's numbers and emails, without duplicates.
    public var accounts: [AccountID] {
        if matches.accounts.isEmpty { return [] }
        var seen: Set<AccountID> = []
        return identities.compactMap { matches.accounts[$0] }.filter { seen.insert($0).inserted }
    }

    /// Whether the contact has one of these identities.
    func isAny(of identities: Set<Identity>) -> Bool {
        indexed.contains { card in
            card.details.numbers.contains { $0.map { identities.contains(.phone($0)) } ?? false }
                || card.details.addresses.contains { $0.map { identities.contains(.email($0)) } ?? false }
        }
    }

    /// Whether `Discovery` has found an account for the contact.
    public var isOnService: Bool { !accounts.isEmpty }

    /// The identities of the contact: all numbers and emails of its cards.
    package var identities: [Identity] {
        indexed.flatMap { card in
            card.details.numbers.compactMap { $0.map(Identity.phone) }
                + card.details.addresses.compactMap { $0.map(Identity.email) }
        }
    }
}
