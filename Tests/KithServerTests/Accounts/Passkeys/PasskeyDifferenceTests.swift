#if canImport(FIDO)
    import FIDO
    import Foundation
    import KithModel
    import KithServer
    import Processes
    import Testing

    /// Holds the checks of passkeys against PyPI's `webauthn`, on the same thousands of changed bytes.
    @Suite("Passkeys, compared with another verifier") struct PasskeyDifferenceTests {
        /// One line of Tests/Peers/webauthn_cases.py.
        private struct Case: Decodable {
            let kind: String
            let algorithm: String
            /// The attestation object of a plain registration, from which the key is read.
            let object: PasskeyBytes?
            let challenge: PasskeyBytes?
            let attestation: PasskeyAttestation?
            let assertion: PasskeyAssertion?
            /// The stored counter.
            let stored: UInt32?
            let accepts: Bool?
            let reason: String?
        }

        /// Why the comparison is skipped; nil if it can run.
        static let missing = Peers.missing("webauthn")

        /// Where this server is stricter, and why.
        private static let stricter: [PasskeyRefusal: String] = [
            .wrongCredential: "The other verifier does not compare the id with that in the attestation.",
            .unsupportedKey: "The other verifier looks at the numbers of a key only when it verifies a signature.",
            .crossOrigin: "The other verifier does not refuse pages within pages.",
            .wrongChallenge: "The other verifier ignores padding and characters that are not Base64url.",
            .malformedClientData: "The other verifier ignores the types of members that it does not use.",
            .malformedAuthenticatorData:
                "The other verifier accepts credentials in assertions, and further members of an attestation object.",
        ]

        @Test(
            "Agrees with webauthn from PyPI on 8,000 registrations and assertions, most of them changed",
            .skipped(if: missing), .timeLimit(.minutes(15)))
        func agreement() async throws {
            let run = try await FinishedProcess(
                Peers.python,
                [
                    Peers.script("webauthn_cases.py"), "--seed", "1", "--count",
                    "8000",
                ])
            try #require(run.status == 0, "\(String(decoding: run.complaints, as: UTF8.self))")
            let cases = try run.output.split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Case.self, from: $0)
            }
            var party = PasskeySettings()
            party.domain = SoftAuthenticator.domain
            let checker = Checker(party: try RelyingParty(party, address: SoftAuthenticator.origin), cases: cases)
            var (agreed, accepted) = (0, 0)
            for each in cases where each.kind != "key" {
                let refusal = try checker.refusal(of: each)
                let theirs = each.accepts == true
                switch (refusal, theirs) {
                case (nil, true): accepted += 1
                case (.some, false): agreed += 1
                case (.some(let refusal), true):
                    #expect(
                        Self.stricter[refusal] != nil, "Only this server refuses \(each.attestation.debugDescription)")
                case (nil, false):
                    // Level 3 of WebAuthn has no token binding any more, so its form does not matter.
                    #expect(each.reason?.contains("token_binding") == true, "Only this server accepts: \(each)")
                }
            }
            #expect(agreed > 4_000 && accepted > 500)
        }

        /// The server's own checks.
        private struct Checker {
            let party: RelyingParty
            private var keys: [String: PasskeyKey] = [:]

            init(party: RelyingParty, cases: [Case]) {
                self.party = party
                for each in cases where each.kind == "key" {
                    keys[each.algorithm] = try? FIDOVerifier().verifyRegistration(
                        each.object?.data ?? Data(), clientDataHash: Data(count: 32), relyingParty: party.id
                    ).key
                }
            }

            /// The reason to refuse a case; nil if it is accepted.
            func refusal(of each: Case) throws -> PasskeyRefusal? {
                let check = PasskeyCheck(
                    challenge: each.challenge?.data ?? Data(), party: party, verifier: FIDOVerifier())
                do {
                    if let attestation = each.attestation { _ = try check.registration(attestation) }
                    if let assertion = each.assertion {
                        let data = AuthenticatorData(assertion.response.authenticatorData.data)
                        let account = try #require(assertion.response.userHandle.flatMap { UUID(bytes: $0.data) })
                        let known = PasskeyCheck.Known(
                            account: AccountID(account), key: try #require(keys[each.algorithm]),
                            signCount: each.stored ?? 0,
                            // The other verifier does not compare it.
                            isEligible: data?.isEligible ?? false)
                        _ = try check.assertion(assertion, by: known)
                    }
                    return nil
                } catch let refusal as PasskeyRefusal { return refusal }
            }
        }
    }
#endif
