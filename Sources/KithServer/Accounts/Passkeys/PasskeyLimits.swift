/// The limits of passkeys.
public struct PasskeyLimits: Sendable {
    /// Passkeys of one account. A further one is refused.
    public var ofAccount = 20
    /// How long a ceremony may take: the addition of a passkey or a sign-in.
    public var lifetime = Duration.seconds(5 * 60)
    /// Ceremonies that one session has begun within ``lifetime``.
    public var ceremoniesOfSession = 10
    /// Ceremonies that one network has begun within ``lifetime``: a /24 of IPv4, a /56 of IPv6.
    public var ceremoniesOfNetwork = 50
    /// Ceremonies within ``lifetime``, in total.
    public var ceremoniesInAll = 10_000
    /// Bytes of the client data that a browser signs. Browsers send a few hundred.
    public var clientData = 8 << 10

    /// The defaults.
    public init() {}
}
