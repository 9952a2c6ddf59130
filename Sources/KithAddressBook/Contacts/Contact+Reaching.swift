public import KithCards
public import KithModel

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
