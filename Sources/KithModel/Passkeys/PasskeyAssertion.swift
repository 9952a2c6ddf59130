/// The proof that a device has a passkey: `AuthenticationResponseJSON` of WebAuthn Level 3, section 5.1.
///
/// It decodes the JSON of `PublicKeyCredential.toJSON()` in a browser and of `PublicKeyCredential` on Android. Other
/// members of that JSON are ignored.
public struct PasskeyAssertion: Hashable, Sendable, Codable {
    /// The signed data and the signature.
    public struct Response: Hashable, Sendable, Codable {
        /// The client data, in JSON: the challenge and the origin.
        public var clientDataJSON: PasskeyBytes
        /// The authenticator data: the relying party, the flags and the counter.
        public var authenticatorData: PasskeyBytes
        /// The signature of the authenticator data and of the client data's hash.
        public var signature: PasskeyBytes
        /// The id of the account that the passkey was created for; nil if the device does not send it.
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
    /// The signed data and the signature.
    public var response: Response

    /// Creates an assertion with these properties.
    public init(id: PasskeyBytes, response: Response) {
        (self.id, self.type, self.response) = (id, "public-key", response)
    }
}
