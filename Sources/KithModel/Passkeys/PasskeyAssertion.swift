/// The use of a passkey: `AuthenticationResponseJSON` of WebAuthn Level 3, section 5.1.
///
/// It decodes the JSON of `PublicKeyCredential.toJSON()` in a browser and of `PublicKeyCredential` on Android. Other
/// members of that JSON are ignored.
public struct PasskeyAssertion: Hashable, Sendable, Codable {
    /// What the device has signed.
    public struct Response: Hashable, Sendable, Codable {
        /// What the client has signed, in JSON.
        public var clientDataJSON: PasskeyBytes
        /// What the authenticator has signed.
        public var authenticatorData: PasskeyBytes
        /// The signature.
        public var signature: PasskeyBytes
        /// The account that the passkey was created for; nil if the device does not say it.
        public var userHandle: PasskeyBytes?

        /// Creates a response with these properties.
        public init(
            clientDataJSON: PasskeyBytes, authenticatorData: PasskeyBytes, signature: PasskeyBytes,
            userHandle: PasskeyBytes?
        ) {
            (self.clientDataJSON, self.authenticatorData) = (clientDataJSON, authenticatorData)
            (self.signature, self.userHandle) = (signature, userHandle)
        }
    }

    /// The id of the credential.
    public var id: PasskeyBytes
    /// The type, `public-key`.
    public var type: String
    /// What the device has signed.
    public var response: Response

    /// Creates a response of a device.
    public init(id: PasskeyBytes, response: Response) {
        (self.id, self.type, self.response) = (id, "public-key", response)
    }
}
