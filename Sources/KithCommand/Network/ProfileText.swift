import Foundation
import KithModel

/// A text that a user types for a field of the profile. It is refused if it is not valid for the field.
///
/// The server and the SDK accept more: values from other clients are kept unchanged.
enum ProfileText {
    /// The value for a field from a text; nil empties the field.
    ///
    /// - Throws: ``Failure`` `invalid` with what is expected.
    static func field(_ field: ProfileField, _ text: String) throws -> String? {
        if text.isEmpty { return nil }
        let (isFitting, expected) =
            switch field {
            case .country:
                (isCountry(text.uppercased()), "no country. Give its two letters (ISO 3166-1), such as AT.")
            case .language: (text.wholeMatch(of: language) != nil, "no language's tag. Write it like de or de-AT.")
            case .timeZone: (TimeZone(identifier: text) != nil, "no time zone. Name it like Europe/Vienna.")
            default: (true, "")
            }
        guard isFitting else { throw refusal(text, expected) }
        return field == .country ? text.uppercased() : text
    }

    /// The values from texts for numbers, emails or sites, each followed by its label. A single empty text removes all.
    ///
    /// - Throws: ``Failure`` `invalid` with what is expected.
    static func entries(_ field: ProfileField, _ texts: [String]) throws -> [Profile.Entry] {
        if texts == [""] { return [] }
        return try texts.map { text in
            let entry = field == .phone ? Profile.Entry(phone: text) : Profile.Entry(word: text)
            let (isFitting, expected) =
                switch field {
                case .phone:
                    (entry.value.wholeMatch(of: phone) != nil, "no number. Write it like “+43 664 5550101 home”.")
                case .email:
                    (EmailAddress(entry.value) != nil, "no email. Write it like “ada@example.org home”.")
                default: (isSite(entry.value), "no web site. Write it like “https://example.org home”.")
                }
            guard isFitting else { throw refusal(text, expected) }
            return entry
        }
    }

    private static func refusal(_ text: String, _ expected: String) -> Failure {
        Failure(.usage, "invalid", "“\(text)” is \(expected)")
    }

    /// A number as people write it, in digits, possibly with an extension.
    private static var phone: Regex<Substring> { /[+(*]*[0-9][0-9 ()\/.\-]+(?:[,;x#*]+[0-9 ]*)*/ }
    /// The form of a tag (RFC 5646): a language of two or three letters, and optional subtags.
    private static var language: Regex<Substring> { /[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*/ }

    private static func isCountry(_ code: String) -> Bool {
        code.count == 2 && Locale.Region.isoRegions.contains { $0.identifier == code }
    }

    private static func isSite(_ text: String) -> Bool {
        let isWhole = text.contains("://")
        guard let url = URL(string: isWhole ? text : "https://" + text), let host = url.host(), !host.isEmpty else {
            return false
        }
        return isWhole || host.contains(".")
    }
}

extension Profile.Entry {
    /// An address of one word, and the label after it.
    fileprivate init(word text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        self.init(String(parts.first ?? ""), label: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// A number, which may have spaces, and the label after it. The label begins with the first word that begins with a
    /// letter.
    fileprivate init(phone text: String) {
        let words = text.split(separator: " ")
        let split = words.dropFirst().firstIndex { $0.first?.isLetter ?? false } ?? words.endIndex
        let label = words[split...].joined(separator: " ")
        self.init(words[..<split].joined(separator: " "), label: label.isEmpty ? nil : label)
    }
}
