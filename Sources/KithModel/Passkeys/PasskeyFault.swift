/// The reason why a ``PasskeyVerifier`` refuses a registration or an assertion.
public enum PasskeyFault: String, Hashable, Sendable, CaseIterable, Error {
    /// The bytes are not what WebAuthn specifies.
    case malformed
    /// The attestation is of a kind that the server has not requested.
    case unsupportedAttestation
    /// The public key is of an algorithm that the server has not requested, or invalid.
    case unsupportedKey
    /// The signature is wrong.
    case wrongSignature
    /// The verifier has no memory.
    case unavailable
}
