/// The ways to sign in on the web.
package struct SignInWays: Hashable, Sendable {
    /// Codes by email.
    package var email: Bool
    /// Codes by SMS.
    package var phone: Bool
    /// The domain of the passkeys, which browsers with scripts use on its pages; nil if there are no passkeys.
    package var passkeyDomain: String?

    package init(email: Bool, phone: Bool, passkeyDomain: String?) {
        (self.email, self.phone, self.passkeyDomain) = (email, phone, passkeyDomain)
    }

    /// Whether there are codes.
    package var hasCodes: Bool { email || phone }
}
