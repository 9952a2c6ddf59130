/// A request for the session of a sign-in that a page has finished: `POST /v1/passkeys/signins/{ceremony}/claim`.
package struct PasskeyClaim: Hashable, Sendable, Codable {
    /// The secret of the device that began the sign-in.
    package var claim: String

    package init(claim: String) { self.claim = claim }
}
