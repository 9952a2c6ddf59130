/// The browser's response to the ceremony in the web page, either an attestation or an assertion: `POST /v1/passkeys/page/response`.
package struct PasskeyPageResponse: Hashable, Sendable, Codable {
    /// The ticket in the fragment of the page's address.
    package var ticket: String
    /// The new passkey; nil for a sign-in.
    package var attestation: PasskeyAttestation?
    /// The proof of the passkey; nil for an addition.
    package var assertion: PasskeyAssertion?

    package init(ticket: String, attestation: PasskeyAttestation? = nil, assertion: PasskeyAssertion? = nil) {
        (self.ticket, self.attestation, self.assertion) = (ticket, attestation, assertion)
    }
}
