/// A telephone number or an email address by which a person can be found.
///
/// The oblivious function hashes its text, so the text is part of the protocol: `tel:` and the number in E.164 form
/// (RFC 3966), or `mailto:` and the address in canonical form, without escapes.
public enum Identity: Hashable, Sendable {
    /// A telephone number.
    case phone(E164)
    /// An email address.
    case email(EmailAddress)

    /// Creates an identity from its text; nil if the text is not in the form of ``text``.
    public init?(_ text: String) {
        if text.hasPrefix("tel:"), let number = E164(String(text.dropFirst(4))) {
            self = .phone(number)
        } else if text.hasPrefix("mailto:"), let address = EmailAddress(String(text.dropFirst(7))),
            "mailto:\(address.text)" == text
        {
            self = .email(address)
        } else {
            return nil
        }
    }

    /// The text: `tel:+436641234567`, `mailto:ada@example.com`.
    public var text: String {
        switch self {
        case .phone(let number): "tel:\(number)"
        case .email(let address): "mailto:\(address)"
        }
    }

    /// The number or address without the scheme: `+436641234567`, `ada@example.com`.
    public var shown: String {
        switch self {
        case .phone(let number): number.text
        case .email(let address): address.text
        }
    }

    /// The input of the oblivious function.
    package var input: [UInt8] { Array(text.utf8) }
}

extension Identity: Comparable {
    /// Compares the texts: emails come first, then numbers.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.phone(let left), .phone(let right)): left.text < right.text
        case (.email(let left), .email(let right)): left.text < right.text
        case (.email, .phone): true
        case (.phone, .email): false
        }
    }
}

extension Identity: TextCodable {
    /// The text.
    public var description: String { text }

    package static var refusal: String {
        "is neither tel: with a number in E.164 form nor mailto: with an address in canonical form"
    }
}
