/// A request for the session that a sign-in in the web page has opened: `POST /v1/passkeys/signins/{ceremony}/claim`.
package struct PasskeyClaim: Hashable, Sendable, Codable {
    /// The secret that only the device that started the sign-in knows: ``PasskeySignIn/claim``.
    package var claim: String

    package init(claim: String) { self.claim = claim }
}
