/// The reason why a ``PasskeyVerifier`` refuses a registration or an assertion.
public enum PasskeyFault: String, Hashable, Sendable, CaseIterable, Error {
    /// The bytes are not in the format of WebAuthn.
    case malformed
    /// The attestation has a format that the server has not requested.
    case unsupportedAttestation
    /// The public key is not valid, or its algorithm was not requested.
    case unsupportedKey
    /// The signature is wrong.
    case wrongSignature
    /// The verifier cannot work now, for example because memory is exhausted.
    case unavailable
}
