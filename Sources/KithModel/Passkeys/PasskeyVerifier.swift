public import Foundation

/// Verifies the keys and signatures of passkeys (WebAuthn Level 3, section 7).
///
/// The server checks everything else: client data, relying party, flags and counter. On Linux, the module `FIDO` verifies
/// with libfido2.
public protocol PasskeyVerifier: Sendable {
    /// Verifies an attestation object, and reads the new credential.
    ///
    /// - Parameters:
    ///   - object: The attestation object, in CBOR.
    ///   - clientDataHash: The SHA-256 of the client data.
    ///   - relyingParty: The relying party's id: a domain.
    /// - Returns: The credential.
    /// - Throws: ``PasskeyFault``.
    func verifyRegistration(
        _ object: Data, clientDataHash: Data, relyingParty: String
    ) throws(PasskeyFault) -> PasskeyCredential

    /// Verifies the signature of an assertion.
    ///
    /// - Parameters:
    ///   - signature: The signature.
    ///   - authenticatorData: The signed authenticator data.
    ///   - clientDataHash: The SHA-256 of the signed client data.
    ///   - relyingParty: The relying party's id: a domain.
    ///   - key: The public key of the credential.
    /// - Throws: ``PasskeyFault``.
    func verifyAssertion(
        _ signature: Data, of authenticatorData: Data, clientDataHash: Data, relyingParty: String, key: PasskeyKey
    ) throws(PasskeyFault)
}
