/// The ways to sign in on the web.
package struct SignInWays: Hashable, Sendable {
    /// Codes by email.
    package var email: Bool
    /// Codes by SMS.
    package var phone: Bool
    /// Passkeys, in browsers with scripts.
    package var passkey: Bool

    package init(email: Bool, phone: Bool, passkey: Bool) {
        (self.email, self.phone, self.passkey) = (email, phone, passkey)
    }

    /// Whether there are codes.
    package var hasCodes: Bool { email || phone }
}
