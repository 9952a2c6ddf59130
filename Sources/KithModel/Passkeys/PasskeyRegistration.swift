/// The begun addition of a passkey: the answer of `POST /v1/passkeys/registrations`.
///
/// WebAuthn calls it a registration ceremony. Its challenge can be used once, within five minutes, by the same session.
public struct PasskeyRegistration: Hashable, Sendable, Codable {
    /// The identity of the ceremony.
    public var id: CeremonyID
    /// What the device needs to create the passkey.
    public var options: PasskeyCreationOptions
    /// The address of a web page that adds the passkey instead of this device, with a secret ticket in its fragment; nil
    /// if the server has none. Show it only to the user.
    public var page: String?
    /// When the ceremony expires, in the server's time.
    public var expires: Timestamp

    package init(id: CeremonyID, options: PasskeyCreationOptions, page: String?, expires: Timestamp) {
        (self.id, self.options, self.page, self.expires) = (id, options, page, expires)
    }
}
