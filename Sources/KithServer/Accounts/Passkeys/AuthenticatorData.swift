package import Foundation
import KithModel

/// The beginning of authenticator data, which every authenticator sends (WebAuthn Level 3, section 6.1).
package struct AuthenticatorData: Hashable, Sendable {
    /// The SHA-256 of the relying party's id, as the authenticator knows it.
    package var relyingPartyHash: Data
    /// The flags.
    package var flags: UInt8
    /// The counter of signatures; 0 if the authenticator has none.
    package var signCount: UInt32

    /// The data of these properties.
    package init(relyingPartyHash: Data, flags: UInt8, signCount: UInt32) {
        (self.relyingPartyHash, self.flags, self.signCount) = (relyingPartyHash, flags, signCount)
    }

    /// Reads the first 37 bytes; nil if there are fewer.
    package init?(_ bytes: Data) {
        guard bytes.count >= 37 else { return nil }
        let bytes = Array(bytes)
        self.init(
            relyingPartyHash: Data(bytes[..<32]), flags: bytes[32],
            signCount: bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The data of a new credential.
    init(_ credential: PasskeyCredential) {
        self.init(
            relyingPartyHash: credential.relyingPartyHash, flags: credential.flags, signCount: credential.signCount)
    }

    /// Whether the user was present: a touch or the like.
    var isPresent: Bool { flags & 0x01 != 0 }
    /// Whether the device has checked its user: a PIN, a fingerprint, a face.
    var isVerified: Bool { flags & 0x04 != 0 }
    /// Whether the passkey can be stored on more than one device.
    package var isEligible: Bool { flags & 0x08 != 0 }
    /// Whether the passkey is stored on more than one device.
    package var isBackedUp: Bool { flags & 0x10 != 0 }
}
