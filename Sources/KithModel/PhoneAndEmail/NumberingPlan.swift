/// The numbering plans of countries: which country a number belongs to, and how its mobile numbers look.
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
    /// nil if no plan of theirs contains the number. A number of the only country with a calling code need not be in its
    /// plan: see ``PhoneNumber/isValid``.
    func region(of number: E164) -> Region?
}
