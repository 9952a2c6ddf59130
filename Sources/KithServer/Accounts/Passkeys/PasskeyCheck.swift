package import Foundation
package import KithModel

/// Decides whether a registration or an assertion answers a challenge of this server (WebAuthn Level 3, sections 7.1 and
/// 7.2). It has no input or output. A `PasskeyVerifier` verifies keys and signatures.
package struct PasskeyCheck: Sendable {
    private let challenge: Data
    private let party: RelyingParty
    private let verifier: any PasskeyVerifier
    private let limits: PasskeyLimits

    /// A check against a challenge of this relying party.
    package init(
        challenge: Data, party: RelyingParty, verifier: any PasskeyVerifier, limits: PasskeyLimits = PasskeyLimits()
    ) {
        (self.challenge, self.party, self.verifier, self.limits) = (challenge, party, verifier, limits)
    }

    /// The stored properties of a passkey that an assertion is compared with.
    package struct Known: Hashable, Sendable {
        package var account: AccountID
        package var key: PasskeyKey
        package var signCount: UInt32
        package var isEligible: Bool

        package init(account: AccountID, key: PasskeyKey, signCount: UInt32, isEligible: Bool) {
            (self.account, self.key, self.signCount, self.isEligible) = (account, key, signCount, isEligible)
        }
    }

    /// Checks a new passkey.
    ///
    /// - Returns: The credential.
    /// - Throws: ``PasskeyRefusal``, or ``ServerError`` if the verifier could not work.
    package func registration(_ attestation: PasskeyAttestation) throws -> PasskeyCredential {
        let clientData = attestation.response.clientDataJSON.data
        guard attestation.type == "public-key" else { throw PasskeyRefusal.wrongCredential }
        try check(clientData, as: "webauthn.create")
        let credential: PasskeyCredential
        do {
            credential = try verifier.verifyRegistration(
                attestation.response.attestationObject.data, clientDataHash: Secret.sha256(clientData),
                relyingParty: party.id)
        } catch {
            throw try PasskeyRefusal(error)
        }
        try check(AuthenticatorData(credential))
        guard credential.id == attestation.id.data else { throw PasskeyRefusal.wrongCredential }
        return credential
    }

    /// Checks the use of a known passkey.
    ///
    /// - Returns: The authenticator data, whose counter and backup state the server stores.
    /// - Throws: ``PasskeyRefusal``, or ``ServerError`` if the verifier could not work.
    package func assertion(_ assertion: PasskeyAssertion, by known: Known) throws -> AuthenticatorData {
        let response = assertion.response
        guard assertion.type == "public-key" else { throw PasskeyRefusal.wrongCredential }
        // The passkey is discoverable, so the device knows the account.
        guard response.userHandle?.data == known.account.uuid.data else { throw PasskeyRefusal.otherAccount }
        try check(response.clientDataJSON.data, as: "webauthn.get")
        guard let data = AuthenticatorData(response.authenticatorData.data) else {
            throw PasskeyRefusal.malformedAuthenticatorData
        }
        try check(data)
        do {
            try verifier.verifyAssertion(
                response.signature.data, of: response.authenticatorData.data,
                clientDataHash: Secret.sha256(response.clientDataJSON.data), relyingParty: party.id, key: known.key)
        } catch {
            throw try PasskeyRefusal(error)
        }
        guard data.isEligible == known.isEligible else { throw PasskeyRefusal.changedEligibility }
        guard Self.isAbove(data.signCount, known.signCount) else { throw PasskeyRefusal.repeatedCounter }
        return data
    }

    /// Whether a counter can follow another (WebAuthn Level 3, section 6.1.1): it must grow, unless both are 0.
    package static func isAbove(_ new: UInt32, _ old: UInt32) -> Bool { (new == 0 && old == 0) || new > old }

    private struct ClientData: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    private func check(_ bytes: Data, as type: String) throws {
        guard bytes.count <= limits.clientData, let data = try? JSONBody.decode(ClientData.self, from: bytes) else {
            throw PasskeyRefusal.malformedClientData
        }
        guard data.type == type else { throw PasskeyRefusal.wrongType }
        guard let signed = Data(base64URL: data.challenge), Secret.areEqual(signed, challenge) else {
            throw PasskeyRefusal.wrongChallenge
        }
        guard party.origins.contains(data.origin) else { throw PasskeyRefusal.wrongOrigin }
        guard data.crossOrigin != true, data.topOrigin == nil else { throw PasskeyRefusal.crossOrigin }
    }

    private func check(_ data: AuthenticatorData) throws {
        guard data.relyingPartyHash == Secret.sha256(party.id) else { throw PasskeyRefusal.wrongRelyingParty }
        guard data.isPresent else { throw PasskeyRefusal.userNotPresent }
        guard data.isVerified else { throw PasskeyRefusal.userNotVerified }
        guard data.isEligible || !data.isBackedUp else { throw PasskeyRefusal.contradictoryBackup }
    }
}
