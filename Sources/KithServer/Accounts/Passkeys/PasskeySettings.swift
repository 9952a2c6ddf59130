/// The operator's settings of passkeys.
public struct PasskeySettings: Sendable {
    /// Whether passkeys can be added and used.
    public var isOn = true
    /// The domain that passkeys belong to (the relying party's id); nil for the host of the server's public address.
    ///
    /// Passkeys of one domain cannot be used with another, so a later change makes all passkeys useless.
    public var domain: String?
    /// The origins of web pages and apps that may use passkeys; empty for the origin of the server's public address.
    public var origins: [String] = []
    /// The limits.
    public var limits = PasskeyLimits()

    /// The defaults.
    public init() {}
}
