public import Foundation

/// A new credential, as its authenticator describes it (WebAuthn Level 3, section 6.5.1).
public struct PasskeyCredential: Hashable, Sendable {
    /// The id of the credential: 1 to 1023 bytes.
    public var id: Data
    /// The public key.
    public var key: PasskeyKey
    /// The SHA-256 of the relying party's id, as the authenticator knows it.
    public var relyingPartyHash: Data
    /// The flags of the authenticator data (WebAuthn Level 3, section 6.1).
    public var flags: UInt8
    /// The signature counter; 0 if the authenticator has none.
    public var signCount: UInt32

    /// Creates a credential with these properties.
    public init(id: Data, key: PasskeyKey, relyingPartyHash: Data, flags: UInt8, signCount: UInt32) {
        (self.id, self.key, self.relyingPartyHash) = (id, key, relyingPartyHash)
        (self.flags, self.signCount) = (flags, signCount)
    }
}
