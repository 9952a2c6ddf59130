/// The numbering plans of all countries: calling codes, examples of mobile numbers, and the country of a number.
///
/// On Linux the implementation is libphonenumber (the module `PhoneNumbers`).
public protocol NumberingPlan: PhoneNumberParser {
    /// The calling code of a country, without the plus: 43 for Austria; nil if there is no such country.
    func callingCode(of region: Region) -> Int?

    /// An example of a mobile number of a country; nil if the plan has none.
    func mobileExample(in region: Region) -> PhoneNumber?

    /// The country that a number belongs to; nil if no country has its calling code.
    ///
    /// Several countries can share a calling code: +1 is that of Canada, the United States and others. The result is then
    /// nil if no plan of theirs contains the number. If a calling code belongs to one country, the result is that country,
    /// even if its plan does not contain the number: see ``PhoneNumber/isValid``.
    func region(of number: E164) -> Region?
}
