/// What became of a ceremony that a page finishes. Without a value, it has not been finished.
package struct PasskeyOutcome: Hashable, Sendable, Codable {
    /// The added passkey.
    package var passkey: Passkey?
    /// The session that was opened.
    package var session: NewSession?

    package init(passkey: Passkey? = nil, session: NewSession? = nil) {
        (self.passkey, self.session) = (passkey, session)
    }
}
