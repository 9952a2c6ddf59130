public import KithModel

/// The operator's settings for SMS: the countries, and the limits against SMS pumping.
///
/// SMS pumping is a fraud: somebody makes a server send messages to numbers of networks that share the fees with them.
public struct PhoneSettings: Sendable {
    /// The countries to which the server sends SMS. If there are none, it sends no SMS.
    public var countries: [Region] = []
    /// Parts of SMS in a day (UTC), in total: the setting `sms-a-day`. Each part is paid.
    public var messagesADay = 1_000
    /// The limits of the numbers of one prefix.
    public var limits = PrefixLimits()
    /// The plans of the countries, by which numbers are read and checked. `kith serve` sets libphonenumber's.
    public var numberingPlan: (any NumberingPlan)?

    /// The defaults: no countries.
    public init() {}
}
