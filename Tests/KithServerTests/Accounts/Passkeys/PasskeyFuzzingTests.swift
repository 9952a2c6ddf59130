#if os(Linux)
    import FIDO
    import Foundation
    import KithModel
    import Testing

    @Suite("The verifier of passkeys, on any bytes") struct PasskeyFuzzingTests {
        private static let options = PasskeyCreationOptions(
            rp: PasskeyCreationOptions.RelyingParty(id: SoftAuthenticator.domain, name: "Kith"),
            user: PasskeyCreationOptions.User(id: PasskeyBytes(Data()), name: "Ada"),
            challenge: PasskeyBytes(Data()), algorithms: [-8], timeout: .seconds(1), excluding: [])
        /// An attestation object without fault.
        private static let object = Array(SoftAuthenticator().create(options).response.attestationObject.data)

        @Test("Keeps its laws on 5,000 changed attestation objects and assertions") func changed() throws {
            #expect(PasskeyFuzzing.broken(by: [0] + Self.object) == nil)
            var random = SplitMix64(seed: 5)
            for number in 0..<5_000 {
                var bytes = [UInt8(number & 0xFF)] + Self.object
                for _ in 0...Int.random(in: 0..<3, using: &random) {
                    let place = Int.random(in: bytes.indices, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    }
                }
                #expect(PasskeyFuzzing.broken(by: bytes) == nil, "\(bytes)")
            }
        }

        @Test(
            "Trap: Nine bytes cost gigabytes – an array may not claim more elements than there are bytes",
            arguments: [[0x9A, 0x40, 0, 0, 0], [0xBB, 0, 0, 0, 1, 0, 0, 0, 0], [0x5B, 0, 0, 1, 0, 0, 0, 0, 0]]
                as [[UInt8]])
        func claims(bytes: [UInt8]) {
            // As the whole object, and as the statement within it.
            let member = [0xA3, 0x67] + Array("attStmt".utf8) + bytes
            for object in [bytes, member] {
                #expect(throws: PasskeyFault.malformed) {
                    try FIDOVerifier().verifyRegistration(
                        Data(object), clientDataHash: Data(count: 32), relyingParty: "kith.example")
                }
            }
        }

        @Test("Trap: A key without its point is a point of small order – each parameter of a key is needed")
        func missingPoint() {
            let response = SoftAuthenticator().create(Self.options) { $0.key = Data([0xA3, 1, 1, 3, 0x27, 0x20, 6]) }
            #expect(throws: PasskeyFault.unsupportedKey) {
                try FIDOVerifier().verifyRegistration(
                    response.response.attestationObject.data, clientDataHash: Data(count: 32),
                    relyingParty: SoftAuthenticator.domain)
            }
        }
    }
#endif
