import KithModel

/// The reason why a registration or an assertion is refused.
package enum PasskeyRefusal: String, Hashable, Sendable, CaseIterable, Error {
    // The client data.
    case malformedClientData, wrongType, wrongChallenge, wrongOrigin, crossOrigin
    // The authenticator data.
    case malformedAuthenticatorData, wrongRelyingParty, userNotPresent, userNotVerified, contradictoryBackup
    // The credential.
    case wrongCredential, unsupportedAttestation, unsupportedKey, wrongSignature
    // Compared with the stored passkey.
    case unknownPasskey, otherAccount, changedEligibility, repeatedCounter, knownPasskey

    /// The error for the caller.
    package var error: ServerError { ServerError(.passkeyRefused, sentence) }

    private var sentence: String {
        switch self {
        case .malformedClientData: "The passkey's client data cannot be read."
        case .wrongType: "The passkey was used for another purpose. Begin again."
        case .wrongChallenge: "The passkey has signed another challenge. Begin again."
        case .wrongOrigin: "The passkey was used on a page of another service."
        case .crossOrigin: "The passkey was used in a frame within a page of another service."
        case .malformedAuthenticatorData: "The passkey's data cannot be read."
        case .wrongRelyingParty: "The passkey belongs to another service."
        case .userNotPresent: "The device has used the passkey without asking its user."
        case .userNotVerified: "The device did not check its user. Set up a PIN, a fingerprint or a face on it."
        case .contradictoryBackup: "The device says that the passkey is synced, and that it cannot be synced."
        case .wrongCredential: "The ids of the passkey contradict each other."
        case .unsupportedAttestation: "The device has sent an attestation that was not requested."
        case .unsupportedKey: "The passkey's key is of a kind that this server does not support."
        case .wrongSignature: "The passkey's signature is wrong."
        case .unknownPasskey:
            "This server does not know the passkey. It may have been removed: use another way to sign in."
        case .otherAccount: "The passkey was created for another account."
        case .changedEligibility: "The passkey was created on another kind of device."
        case .repeatedCounter:
            "The passkey's counter is not above the last one, so it may have been copied. Remove it, and add a new one."
        case .knownPasskey: "The passkey already belongs to an account."
        }
    }
}

extension PasskeyRefusal {
    /// The refusal because of a verifier's fault.
    ///
    /// - Throws: ``ServerError`` with the code `busy` if the verifier could not work.
    init(_ fault: PasskeyFault) throws(ServerError) {
        switch fault {
        case .malformed: self = .malformedAuthenticatorData
        case .unsupportedAttestation: self = .unsupportedAttestation
        case .unsupportedKey: self = .unsupportedKey
        case .wrongSignature: self = .wrongSignature
        case .unavailable:
            throw ServerError(.busy, "The passkey cannot be verified. Try again in a moment.", retryAfter: .seconds(1))
        }
    }
}
