#if os(Linux)
    import FIDO
    import Foundation
    import KithModel

    /// The laws of the verifier of passkeys for any bytes. `Scripts/fuzz` looks for bytes that break one.
    enum PasskeyFuzzing {
        private static let domain = "kith.example"
        private static let hash = Data(repeating: 7, count: 32)
        /// The lengths of the keys by algorithm, in the verifier's form.
        private static let lengths = [-7: 64, -8: 32, -257: 259]

        /// The law that the bytes break; nil if they break none. The first byte chooses what the others are.
        static func broken(by bytes: [UInt8]) -> String? {
            guard let first = bytes.first else { return nil }
            let rest = Data(bytes.dropFirst())
            return first & 1 == 0 ? brokenRegistration(rest) : brokenAssertion(rest, algorithm: first)
        }

        private static func brokenRegistration(_ object: Data) -> String? {
            guard let credential = register(object) else { return nil }
            if !(1...1023).contains(credential.id.count) { return "An id has from 1 to 1023 bytes." }
            if lengths[credential.key.algorithm] != credential.key.bytes.count {
                return "A key has the length of its algorithm."
            }
            if credential.relyingPartyHash.count != 32 { return "The hash of the relying party has 32 bytes." }
            if register(object) != credential { return "The same bytes have the same credential." }
            if register(object + [0]) != nil { return "Nothing may follow the attestation object." }
            // A key that was accepted can be used: a wrong signature is wrong, and not of an unsupported key.
            let fault = fault(of: Data([1, 2, 3]), Data(repeating: 5, count: 37), credential.key)
            return fault == .wrongSignature ? nil : "A key that was accepted can be used."
        }

        private static func brokenAssertion(_ bytes: Data, algorithm: UInt8) -> String? {
            let algorithms = lengths.keys.sorted()
            let number = algorithms[Int(algorithm >> 1) % algorithms.count]
            let key = PasskeyKey(algorithm: number, bytes: bytes.prefix(lengths[number] ?? 0))
            let rest = bytes.dropFirst(key.bytes.count)
            let (signature, data) = (rest.prefix(64), rest.dropFirst(64))
            // Nobody has signed the fixed hash.
            return fault(of: Data(signature), Data(data), key) == nil && data.count < 37
                ? "Authenticator data has at least 37 bytes." : nil
        }

        private static func register(_ object: Data) -> PasskeyCredential? {
            try? FIDOVerifier().verifyRegistration(object, clientDataHash: hash, relyingParty: domain)
        }

        private static func fault(of signature: Data, _ data: Data, _ key: PasskeyKey) -> PasskeyFault? {
            do throws(PasskeyFault) {
                try FIDOVerifier().verifyAssertion(
                    signature, of: data, clientDataHash: hash, relyingParty: domain, key: key)
                return nil
            } catch {
                return error
            }
        }
    }
#endif
