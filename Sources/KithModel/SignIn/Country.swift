public import Foundation

/// A country whose phone numbers can be proved, for the picker of an app: an entry of `GET /v1/countries`.
public struct Country: Hashable, Sendable, Codable, Identifiable {
    /// The two letters of the country (ISO 3166-1): `AT`.
    public var region: Region
    /// The country calling code, without the plus: 43.
    public var callingCode: Int
    /// The flag, as two regional indicators (Unicode, UTS #51): 🇦🇹.
    public var flag: String
    /// A mobile number in the notation of the country: `0664 123456`.
    public var example: String
    /// The names of the country by language: `en`, `de`, `fr`, `es`. A newer server may have more.
    public var names: [String: String]

    /// Creates a country with these properties.
    public init(region: Region, callingCode: Int, example: String, names: [String: String]) {
        self.region = region
        self.callingCode = callingCode
        self.flag = region.flag
        self.example = example
        self.names = names
    }

    /// The two letters.
    public var id: String { region.code }

    /// The name in the language of a locale: that of the system, else that of the server, else the two letters.
    public func name(in locale: Locale = .current) -> String {
        if let name = locale.localizedString(forRegionCode: region.code), name != region.code { return name }
        let language = locale.language.languageCode?.identifier ?? "en"
        return names[language] ?? names["en"] ?? region.code
    }
}

extension [Country] {
    /// The countries, sorted by their names in the language of a locale.
    public func sorted(in locale: Locale) -> [Country] {
        let named = map { (country: $0, name: $0.name(in: locale)) }
        return named.sorted { left, right in
            switch left.name.compare(right.name, options: .diacriticInsensitive, range: nil, locale: locale) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: left.country.id < right.country.id
            }
        }.map(\.country)
    }

    /// The country to preselect: that of the locale; nil if it is not in this list.
    public func preferred(in locale: Locale = .current) -> Country? {
        Region(locale).flatMap { region in first { $0.region == region } }
    }
}
