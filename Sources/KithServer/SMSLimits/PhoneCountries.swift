import Foundation
package import KithModel

/// The countries to which the server sends SMS, and the numbers in them that can receive one.
package struct PhoneCountries: Sendable {
    /// The languages of the names of countries: those of the message templates.
    package static let languages = ["de", "en", "es", "fr"]

    private let plan: (any NumberingPlan)?
    private let allowed: Set<Region>
    /// The countries for an app's choice, by their two letters.
    package let list: CountryList

    /// Countries of a plan.
    ///
    /// - Throws: ``ServerError`` that names the setting if a country has no mobile numbers, or there is no plan.
    package init(_ regions: [Region], plan: (any NumberingPlan)?) throws(ServerError) {
        self.plan = plan
        allowed = Set(regions)
        var countries: [Country] = []
        for region in allowed.sorted() {
            guard let plan else {
                throw ServerError(
                    .malformed, "sms-countries needs the plans of the countries’ numbers, which this program lacks.")
            }
            guard let code = plan.callingCode(of: region), let example = plan.mobileExample(in: region) else {
                throw ServerError(
                    .malformed, "sms-countries is “\(region)”, which has no mobile numbers. Name other countries.")
            }
            countries.append(
                Country(
                    region: region, callingCode: code, example: example.national,
                    names: Dictionary(
                        uniqueKeysWithValues: Self.languages.map { ($0, Self.name(of: region, language: $0)) })))
        }
        list = CountryList(countries: countries)
    }

    /// No countries.
    static let none = PhoneCountries()

    private init() { (plan, allowed, list) = (nil, [], CountryList(countries: [])) }

    private static func name(of region: Region, language: String) -> String {
        Locale(identifier: language).localizedString(forRegionCode: region.code) ?? region.code
    }

    /// The canonical form of a number as it is written in a country; nil if it is no number.
    ///
    /// Letters are no digits here, as they are on a keypad: with “0664 1234567 Bcc”, a code would be sent to a stranger.
    func number(_ text: String, in region: Region?) -> E164? {
        text.contains(where: \.isLetter) ? nil : plan?.e164(text, in: region)
    }

    /// The identity under which limits count and accounts are found: a number in its canonical form, an email as it is.
    ///
    /// Networks deliver some numbers in several spellings, such as with the 0 that begins national numbers after the country
    /// code.
    package func canonical(_ identity: Identity) -> Identity {
        guard case .phone(let number) = identity, let read = plan?.e164(number.text, in: nil) else { return identity }
        return .phone(read)
    }

    /// Why a number cannot receive an SMS from this server; nil if it can.
    ///
    /// Where a plan does not tell mobile from fixed lines, as in North America, both are accepted. A number that is not in
    /// its canonical form is refused, because its other spellings would each have limits of their own.
    package func refusal(of number: E164) -> SMSRefusal? {
        guard let plan, let region = plan.region(of: number), allowed.contains(region) else {
            return .otherCountry(plan?.region(of: number))
        }
        guard canonical(.phone(number)) == .phone(number) else { return .notMobile }
        return switch plan.parse(number.text, in: nil).kind {
        case .mobile, .fixedLineOrMobile: nil
        case .fixedLine, .tollFree, .premiumRate, .sharedCost, .voip, .personal, .pager, .company, .voicemail, .short,
            .unknown:
            .notMobile
        }
    }
}
