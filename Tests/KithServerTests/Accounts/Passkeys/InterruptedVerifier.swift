#if canImport(FIDO)
    import FIDO
    import Foundation
    import KithModel

    /// A verifier during whose work something else happens.
    struct InterruptedVerifier: PasskeyVerifier {
        private let verifier = FIDOVerifier()
        private let interrupt: @Sendable () -> Void

        init(_ interrupt: @escaping @Sendable () -> Void) { self.interrupt = interrupt }

        func verifyRegistration(
            _ object: Data, clientDataHash: Data, relyingParty: String
        ) throws(PasskeyFault) -> PasskeyCredential {
            interrupt()
            return try verifier.verifyRegistration(object, clientDataHash: clientDataHash, relyingParty: relyingParty)
        }

        func verifyAssertion(
            _ signature: Data, of authenticatorData: Data, clientDataHash: Data, relyingParty: String, key: PasskeyKey
        ) throws(PasskeyFault) {
            interrupt()
            try verifier.verifyAssertion(
                signature, of: authenticatorData, clientDataHash: clientDataHash, relyingParty: relyingParty, key: key)
        }
    }
#endif
