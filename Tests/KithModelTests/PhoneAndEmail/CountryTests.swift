import Foundation
import KithModel
import Testing

@Suite("The countries of a picker") struct CountryTests {
    @Test(
        "The locale’s country is preselected, whatever its language; none if it is not in the list, or there is none",
        arguments: [("de_AT", "AT"), ("en_CH", "CH"), ("de_DE", nil), ("de", nil), ("es_419", nil)]
            as [(String, String?)])
    func preferred(locale: String, expected: String?) throws {
        let countries = try ["AT": 43, "CH": 41, "ES": 34].map { code, callingCode in
            Country(region: try #require(Region(code)), callingCode: callingCode, example: "", names: [:])
        }
        #expect(countries.preferred(in: Locale(identifier: locale))?.id == expected)
    }
}
