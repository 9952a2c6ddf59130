/// The started addition of a passkey: the answer of `POST /v1/passkeys/registrations`.
///
/// WebAuthn calls it a registration ceremony. Its challenge can be used once, within five minutes, by the same session.
public struct PasskeyRegistration: Hashable, Sendable, Codable {
    /// The identity of the ceremony.
    public var id: CeremonyID
    /// The parameters with which the device creates the passkey.
    public var options: PasskeyCreationOptions
    /// The address of a web page in which a browser adds the passkey instead of this device; nil if the server has none.
    /// Its fragment is a secret ticket. Show it only to the user.
    public var page: String?
    /// When the ceremony expires, in the server's time.
    public var expires: Timestamp

    package init(id: CeremonyID, options: PasskeyCreationOptions, page: String?, expires: Timestamp) {
        (self.id, self.options, self.page, self.expires) = (id, options, page, expires)
    }
}
