/// The ways to sign in that the operator allows.
public struct SignInSettings: Sendable {
    /// Whether codes are sent by email.
    public var sendsEmail = true
    /// Whether there are recovery codes.
    public var hasRecoveryCodes = true
    /// The limits of codes.
    public var limits = CodeLimits()
    /// The limits of recovery codes.
    public var recovery = RecoveryLimits()

    /// The defaults.
    public init() {}
}
