/// The countries whose phone numbers can be proved: the answer of `GET /v1/countries`.
package struct CountryList: Hashable, Sendable, Codable {
    /// The countries, sorted by their two letters; empty if the server sends no codes by SMS.
    package var countries: [Country]

    /// Creates a list of these countries.
    package init(countries: [Country]) { self.countries = countries }
}
