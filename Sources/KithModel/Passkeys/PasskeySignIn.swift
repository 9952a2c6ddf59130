/// A started sign-in with a passkey: the answer of `POST /v1/passkeys/signins`.
///
/// WebAuthn calls it an authentication ceremony. Its challenge can be used once, within five minutes.
public struct PasskeySignIn: Hashable, Sendable, Codable {
    /// The identity of the ceremony.
    public var id: CeremonyID
    /// The parameters with which the device signs in.
    public var options: PasskeyRequestOptions
    /// The address of a web page in which a browser uses the passkey instead of this device; nil if the server has none.
    /// Its fragment is a secret ticket. Show it only to the user.
    public var page: String?
    /// The secret with which this device gets the session after the page was used. The page does not know it.
    public var claim: String
    /// When the ceremony expires, in the server's time.
    public var expires: Timestamp

    package init(id: CeremonyID, options: PasskeyRequestOptions, page: String?, claim: String, expires: Timestamp) {
        (self.id, self.options, self.page, self.claim, self.expires) = (id, options, page, claim, expires)
    }
}
