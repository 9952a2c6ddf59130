/// The result of a ceremony in the web page. Both values are nil until the page has finished it.
package struct PasskeyOutcome: Hashable, Sendable, Codable {
    /// The added passkey; nil for a sign-in.
    package var passkey: Passkey?
    /// The opened session; nil for an addition.
    package var session: NewSession?

    package init(passkey: Passkey? = nil, session: NewSession? = nil) {
        (self.passkey, self.session) = (passkey, session)
    }
}
