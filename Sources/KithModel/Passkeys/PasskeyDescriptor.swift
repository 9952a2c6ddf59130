/// A credential that a device may already have: `PublicKeyCredentialDescriptorJSON` of WebAuthn Level 3, section 5.1.
public struct PasskeyDescriptor: Hashable, Sendable, Codable {
    /// The type, always `public-key`.
    public var type: String
    /// The id of the credential.
    public var id: PasskeyBytes

    /// Creates a descriptor of a public key.
    public init(id: PasskeyBytes) { (self.type, self.id) = ("public-key", id) }
}
