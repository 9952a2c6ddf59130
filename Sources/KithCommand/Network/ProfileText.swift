import Foundation
import KithModel

/// A text that a user types for a field of the profile. It is refused if it is not valid for the field.
///
/// The server and the SDK accept more: values from other clients are kept unchanged.
enum ProfileText {
    /// Puts what a user has typed into a field. A single empty text empties it.
    ///
    /// - Throws: ``Failure`` `invalid` with what is expected.
    static func put(_ texts: [String], into field: ProfileField, of profile: inout Profile) throws {
        let texts = texts == [""] ? [] : texts
        switch field.content {
        case .text(let path, _): profile[keyPath: path] = try texts.first.map { try value($0, field.form) }
        case .entries(let path, _): profile[keyPath: path] = try texts.map { try entry($0, field.form) }
        case .addresses: profile.addresses = texts.map { Profile.Address($0) }
        case .picture: break
        }
    }

    private static func value(_ text: String, _ form: ProfileField.Form) throws -> String {
        try check(text, form, typed: text)
        return form == .countryCode ? text.uppercased() : text
    }

    /// A number, an email or a site, followed by its label.
    private static func entry(_ text: String, _ form: ProfileField.Form) throws -> Profile.Entry {
        let entry = form == .phoneNumber ? Profile.Entry(phone: text) : Profile.Entry(word: text)
        try check(entry.value, form, typed: text)
        return entry
    }

    private static func check(_ value: String, _ form: ProfileField.Form, typed text: String) throws {
        let (isFitting, expected) =
            switch form {
            case .any: (true, "")
            case .languageTag: (value.wholeMatch(of: language) != nil, "no language's tag. Write it like de or de-AT.")
            case .countryCode:
                (isCountry(value.uppercased()), "no country. Give its two letters (ISO 3166-1), such as AT.")
            case .zoneName: (TimeZone(identifier: value) != nil, "no time zone. Name it like Europe/Vienna.")
            case .phoneNumber:
                (isPhone(value), "no number. Write it like “+43 664 5550101 home”.")
            case .emailAddress: (EmailAddress(value) != nil, "no email. Write it like “ada@example.org home”.")
            case .webSite: (isSite(value), "no web site. Write it like “https://example.org home”.")
            }
        if !isFitting { throw Failure(.usage, "invalid", "“\(text)” is \(expected)") }
    }

    /// A number as people write it, in digits, possibly with an extension.
    private static var phone: Regex<Substring> { /[+(*]*[0-9][0-9 ()\/.\-]+(?:[,;x#*]+[0-9 ]*)*/ }
    /// The form of a tag (RFC 5646): a language of two or three letters, and optional subtags.
    private static var language: Regex<Substring> { /[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*/ }

    /// Whether the text has the form of a number, with as many digits as a short code or a number with a country code has.
    private static func isPhone(_ text: String) -> Bool {
        guard text.wholeMatch(of: phone) != nil else { return false }
        let digits = text.drop { "+(*".contains($0) }.prefix { !",;x#*".contains($0) }.filter(\.isNumber)
        if text.contains("+") { return E164("+\(digits)") != nil }
        return (fewestDigits...E164.digits.upperBound).contains(digits.count)
    }

    /// The digits of a short code, such as 112.
    private static let fewestDigits = 3

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
