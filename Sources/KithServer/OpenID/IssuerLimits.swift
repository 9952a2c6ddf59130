/// The limits of signing in at an issuer.
package struct IssuerLimits: Sendable {
    /// How long a sign-in that was begun can be finished.
    package var lifetime = Duration.seconds(10 * 60)
    /// Sign-ins that one session begins within ``lifetime``.
    package var ofSession = 10
    /// Sign-ins that one network begins in a day (UTC).
    package var ofNetwork = 500
    /// The identities of an account at issuers.
    package var ofAccount = 20

    package init() {}
}
