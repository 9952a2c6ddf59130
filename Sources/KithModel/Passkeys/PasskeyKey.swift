public import Foundation

/// The public key of a passkey.
public struct PasskeyKey: Hashable, Sendable {
    /// The number of the algorithm in COSE (RFC 9053): -7 is ES256, -8 is EdDSA, -257 is RS256.
    public var algorithm: Int
    /// The key, in the format of the ``PasskeyVerifier``.
    public var bytes: Data

    /// Creates a key with these properties.
    public init(algorithm: Int, bytes: Data) { (self.algorithm, self.bytes) = (algorithm, bytes) }
}
