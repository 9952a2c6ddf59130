/// The parameters with which a device signs in with a passkey: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3, section
/// 5.1.
///
/// Its JSON can be passed to `PublicKeyCredential.parseRequestOptionsFromJSON` in a browser and to
/// `GetPublicKeyCredentialOption` on Android.
public struct PasskeyRequestOptions: Hashable, Sendable, Codable {
    /// The random bytes to sign. They are valid once.
    public var challenge: PasskeyBytes
    /// The domain of the service.
    public var rpId: String
    /// How long the device may wait for its user, in milliseconds.
    public var timeout: Int
    /// Always empty: the device offers all of its passkeys for the service.
    public var allowCredentials: [PasskeyDescriptor]
    /// Always `required`: the device asks for a face, a fingerprint or a PIN.
    public var userVerification: String

    package init(challenge: PasskeyBytes, rpId: String, timeout: Duration) {
        (self.challenge, self.rpId, self.timeout) = (challenge, rpId, Int(timeout.milliseconds))
        (self.allowCredentials, self.userVerification) = ([], "required")
    }
}
