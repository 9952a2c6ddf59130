/// The numbering plans of countries: which country a number belongs to, and how its mobile numbers look.
///
/// On Linux the implementation is libphonenumber (the module `PhoneNumbers`).
public protocol NumberingPlan: PhoneNumberParser {
    /// The calling code of a country, without the plus: 43 for Austria; nil if there is no such country.
    func callingCode(of region: Region) -> Int?

    /// An example of a mobile number of a country; nil if the plan has none.
    func mobileExample(in region: Region) -> PhoneNumber?

    /// The country that a number belongs to; nil if no plan contains the number.
    ///
    /// Several countries can share a calling code: +1 is that of Canada, the United States and others.
    func region(of number: E164) -> Region?
}
