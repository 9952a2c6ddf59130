import KithModel

/// The limits of codes that prove an identity (NIST SP 800-63B-4, section 3.2.2).
public struct CodeLimits: Sendable {
    /// The number of digits.
    public var digits = 6
    /// How long a code is valid.
    public var lifetime = Duration.seconds(10 * 60)
    /// Checks of one code. After them, the code is refused.
    public var tries = 5
    /// The pause before each check of one code. The last one also applies to all further checks.
    public var pausesBetweenTries: [Duration] = [.zero, .zero, .seconds(60), .seconds(120)]
    /// Checks of all codes for one identity in ``window``. A new code does not reset the count.
    public var triesOfIdentity = 100
    /// The window of ``triesOfIdentity``.
    public var window = Duration.days(30)
    /// The pause after each code for one identity within a day, until the next one can be requested. The last one also
    /// applies to all further codes.
    public var pausesBetweenCodes: [Duration] = [.seconds(60), .seconds(120), .seconds(300), .seconds(600)]
    /// Codes for one identity in a day.
    public var ofIdentity = 10
    /// Codes that one account requests in a day.
    public var ofAccount = 10
    /// Codes that one session requests in a day.
    public var ofSession = 10
    /// Codes that one network requests in a day: a /24 of IPv4, a /56 of IPv6.
    public var ofNetwork = 50
    /// Codes in a day, in total.
    public var inAll = 10_000

    /// The defaults.
    public init() {}
}
