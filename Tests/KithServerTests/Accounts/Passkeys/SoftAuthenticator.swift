import CSodium
import Foundation
import KithModel
import KithServer

/// An authenticator in software with one Ed25519 passkey, and the browser in front of it. Tests change what it says.
struct SoftAuthenticator {
    /// What the browser and the authenticator say, right or wrong.
    struct Answer {
        var type: String?
        var challenge: Data?
        var origin = SoftAuthenticator.origin
        var extra = ""
        var clientData: Data?
        var relyingParty = SoftAuthenticator.domain
        /// User present, user verified.
        var flags: UInt8 = 0x05
        var count: UInt32 = 0
        var id: Data?
        var kind = "public-key"
        var userHandle: Data??
        var format = "none"
        /// The COSE key; nil for the right one.
        var key: Data?
        var trailer = Data()
        var breaksSignature = false
        var authenticatorData: Data?
    }

    static let domain = "kith.example"
    static let origin = "https://kith.example"

    let credential: Data
    private let publicKey: [UInt8]
    private let secretKey: [UInt8]

    init(seed: UInt8 = 1) {
        var (publicKey, secretKey) = (Array(repeating: UInt8(0), count: 32), Array(repeating: UInt8(0), count: 64))
        crypto_sign_seed_keypair(&publicKey, &secretKey, Array(repeating: seed, count: 32))
        (self.publicKey, self.secretKey) = (publicKey, secretKey)
        credential = Data(repeating: seed, count: 16)
    }

    /// Creates the passkey.
    func create(_ options: PasskeyCreationOptions, _ change: (inout Answer) -> Void = { _ in }) -> PasskeyAttestation {
        var answer = Answer()
        change(&answer)
        let id = answer.id ?? credential
        let key = answer.key ?? Data([0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20] + publicKey)
        let length = Data([UInt8(credential.count >> 8), UInt8(credential.count & 0xFF)])
        let data =
            header(answer, flags: answer.flags | 0x40) + Data(repeating: 0, count: 16) + length + credential + key
            + answer.trailer
        var object = Data([0xA3]) + text("fmt") + text(answer.format) + text("attStmt") + Data([0xA0])
        object += text("authData") + Data([0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]) + data
        var attestation = PasskeyAttestation(
            id: PasskeyBytes(id),
            response: PasskeyAttestation.Response(
                clientDataJSON: PasskeyBytes(clientData(answer, "webauthn.create", options.challenge)),
                attestationObject: PasskeyBytes(object)))
        attestation.type = answer.kind
        return attestation
    }

    /// Uses the passkey for an account.
    func get(
        _ options: PasskeyRequestOptions, for account: AccountID, _ change: (inout Answer) -> Void = { _ in }
    ) -> PasskeyAssertion {
        var answer = Answer()
        change(&answer)
        let clientData = clientData(answer, "webauthn.get", options.challenge)
        let data = answer.authenticatorData ?? header(answer, flags: answer.flags) + answer.trailer
        var signature = Array(repeating: UInt8(0), count: 64)
        let signed = Array(data + Secret.sha256(clientData))
        crypto_sign_detached(&signature, nil, signed, UInt64(signed.count), secretKey)
        if answer.breaksSignature { signature[7] ^= 1 }
        let user: Data? = answer.userHandle ?? withUnsafeBytes(of: account.uuid.uuid) { Data($0) }
        var assertion = PasskeyAssertion(
            id: PasskeyBytes(answer.id ?? credential),
            response: PasskeyAssertion.Response(
                clientDataJSON: PasskeyBytes(clientData), authenticatorData: PasskeyBytes(data),
                signature: PasskeyBytes(Data(signature)), userHandle: user.map(PasskeyBytes.init)))
        assertion.type = answer.kind
        return assertion
    }

    private func header(_ answer: Answer, flags: UInt8) -> Data {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: answer.count >> (24 - 8 * $0)) }
        return Secret.sha256(answer.relyingParty) + Data([flags] + count)
    }

    private func clientData(_ answer: Answer, _ type: String, _ challenge: PasskeyBytes) -> Data {
        let challenge = answer.challenge.map { PasskeyBytes($0) } ?? challenge
        return answer.clientData
            ?? Data(
                """
                {"type":"\(answer.type ?? type)","challenge":"\(challenge)","origin":"\(answer.origin)",\
                "crossOrigin":false\(answer.extra)}
                """.utf8)
    }

    private func text(_ text: String) -> Data { Data([0x60 + UInt8(text.utf8.count)] + text.utf8) }
}
