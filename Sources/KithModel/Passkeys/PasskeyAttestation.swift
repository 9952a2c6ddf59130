/// A passkey that a device has created: `RegistrationResponseJSON` of WebAuthn Level 3, section 5.1.
///
/// It decodes the JSON of `PublicKeyCredential.toJSON()` in a browser and of `CreatePublicKeyCredentialResponse` on
/// Android. Other members of that JSON are ignored.
public struct PasskeyAttestation: Hashable, Sendable, Codable {
    /// The device's description of the new passkey.
    public struct Response: Hashable, Sendable, Codable {
        /// The client data, in JSON: the challenge and the origin.
        public var clientDataJSON: PasskeyBytes
        /// The attestation object with the new credential, in CBOR.
        public var attestationObject: PasskeyBytes

        /// Creates a response with these properties.
        public init(clientDataJSON: PasskeyBytes, attestationObject: PasskeyBytes) {
            (self.clientDataJSON, self.attestationObject) = (clientDataJSON, attestationObject)
        }
    }

    /// The id of the credential.
    public var id: PasskeyBytes
    /// The type, `public-key`.
    public var type: String
    /// The device's description of the new passkey.
    public var response: Response

    /// Creates an attestation with these properties.
    public init(id: PasskeyBytes, response: Response) {
        (self.id, self.type, self.response) = (id, "public-key", response)
    }
}
