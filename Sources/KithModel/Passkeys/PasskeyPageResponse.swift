/// The end of a ceremony in the web page, with one of both responses: `POST /v1/passkeys/page/response`.
package struct PasskeyPageResponse: Hashable, Sendable, Codable {
    /// The ticket of the page's address.
    package var ticket: String
    /// The created passkey.
    package var attestation: PasskeyAttestation?
    /// The used passkey.
    package var assertion: PasskeyAssertion?

    package init(ticket: String, attestation: PasskeyAttestation? = nil, assertion: PasskeyAssertion? = nil) {
        (self.ticket, self.attestation, self.assertion) = (ticket, attestation, assertion)
    }
}
