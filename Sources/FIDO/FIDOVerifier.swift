import CFIDO
public import Foundation
public import KithModel

/// Verifies passkeys with libfido2.
///
/// It accepts the algorithms ES256, EdDSA (Ed25519) and RS256 (2048 bits), and attestations of the formats `none` and
/// `packed` (self attestation).
public struct FIDOVerifier: PasskeyVerifier {
    /// Creates a verifier. All verifiers are equal.
    public init() {}

    /// Verifies an attestation object, and reads the new credential.
    ///
    /// - Throws: `PasskeyFault` with the reason.
    public func verifyRegistration(
        _ object: Data, clientDataHash: Data, relyingParty: String
    ) throws(PasskeyFault) -> PasskeyCredential {
        guard clientDataHash.count == Int(CFIDOHashLength) else { throw .malformed }
        var credential = CFIDOCredential()
        let (object, hash) = (Array(object), Array(clientDataHash))
        let result = CFIDOVerifyRegistration(object, object.count, hash, relyingParty, &credential)
        if let fault = PasskeyFault(result) { throw fault }
        let key = withUnsafeBytes(of: credential.key) { Data($0.prefix(credential.key_length)) }
        return PasskeyCredential(
            id: withUnsafeBytes(of: credential.id) { Data($0.prefix(credential.id_length)) },
            key: PasskeyKey(algorithm: Int(credential.algorithm), bytes: key),
            relyingPartyHash: withUnsafeBytes(of: credential.rp_id_hash) { Data($0) },
            flags: credential.flags, signCount: credential.sign_count)
    }

    /// Verifies the signature of an assertion.
    ///
    /// - Throws: `PasskeyFault` with the reason.
    public func verifyAssertion(
        _ signature: Data, of authenticatorData: Data, clientDataHash: Data, relyingParty: String, key: PasskeyKey
    ) throws(PasskeyFault) {
        guard clientDataHash.count == Int(CFIDOHashLength), let algorithm = Int32(exactly: key.algorithm) else {
            throw .malformed
        }
        let (data, signature, hash) = (Array(authenticatorData), Array(signature), Array(clientDataHash))
        let bytes = Array(key.bytes)
        let result = CFIDOVerifyAssertion(
            data, data.count, signature, signature.count, hash, relyingParty, algorithm, bytes, bytes.count)
        if let fault = PasskeyFault(result) { throw fault }
    }
}

extension PasskeyFault {
    /// The fault of a result of the C functions; nil if the verification succeeded.
    fileprivate init?(_ result: CFIDOResult) {
        switch result {
        case CFIDOVerified: return nil
        case CFIDOMalformed: self = .malformed
        case CFIDOUnsupportedFormat: self = .unsupportedAttestation
        case CFIDOUnsupportedKey: self = .unsupportedKey
        case CFIDOWrongSignature: self = .wrongSignature
        default: self = .unavailable
        }
    }
}
