/// A begun sign-in with a passkey: the answer of `POST /v1/passkeys/signins`.
///
/// WebAuthn calls it an authentication ceremony. Its challenge can be used once, within five minutes.
public struct PasskeySignIn: Hashable, Sendable, Codable {
    /// The identity of the ceremony.
    public var id: CeremonyID
    /// What the device needs to use a passkey.
    public var options: PasskeyRequestOptions
    /// The address of a web page that uses the passkey instead of this device, with a secret ticket in its fragment; nil
    /// if the server has none. Show it only to the user.
    public var page: String?
    /// The secret with which this device receives the session if the page was used. It is not part of the page.
    public var claim: String
    /// When the ceremony expires, in the server's time.
    public var expires: Timestamp

    package init(id: CeremonyID, options: PasskeyRequestOptions, page: String?, claim: String, expires: Timestamp) {
        (self.id, self.options, self.page, self.claim, self.expires) = (id, options, page, claim, expires)
    }
}
