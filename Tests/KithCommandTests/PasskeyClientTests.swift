import Foundation
import Kith
import KithModel
import KithServer
import Testing

/// The SDK's part of passkeys. Its verifier reads a simpler format than CBOR; the real verifier is tested with the server.
@Suite("Passkeys, in an app") struct PasskeyClientTests {
    /// Accepts the credential's id as attestation object and as signature.
    private struct PlainVerifier: PasskeyVerifier {
        static let flags: UInt8 = 0x05

        func verifyRegistration(
            _ object: Data, clientDataHash: Data, relyingParty: String
        ) throws(PasskeyFault) -> PasskeyCredential {
            PasskeyCredential(
                id: object, key: PasskeyKey(algorithm: -8, bytes: object),
                relyingPartyHash: Secret.sha256(relyingParty), flags: Self.flags, signCount: 0)
        }

        func verifyAssertion(
            _ signature: Data, of authenticatorData: Data, clientDataHash: Data, relyingParty: String, key: PasskeyKey
        ) throws(PasskeyFault) {
            if signature != key.bytes { throw .wrongSignature }
        }
    }

    private static let credential = PasskeyBytes(Data([1, 2, 3]))

    /// Runs a server while `body` runs. `body` receives a function that opens the client of a device.
    private func serve(
        isOn: Bool = true, _ body: @escaping ((String) throws -> KithClient) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.passkeys.isOn = isOn
        let server = KithServer(
            configuration, database: try SQLiteDatabase.inMemory(), passkeyVerifier: PlainVerifier())
        let folder = Folder()
        try await server.serving { url in
            try await body { name in
                try KithClient(KithConfiguration(server: url, storage: .directory(folder.file(name))))
            }
        }
    }

    private func clientData(_ type: String, _ challenge: PasskeyBytes, _ origin: String) -> PasskeyBytes {
        PasskeyBytes(Data(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"}"#.utf8))
    }

    /// The origin of the server, from the page's address.
    private func origin(_ page: String?) throws -> String {
        String(try #require(page).prefix { $0 != "#" }.dropLast("/passkey".count))
    }

    /// The result of a browser's `toJSON()` for a new passkey, including members that the SDK ignores.
    private func attestation(_ begun: PasskeyRegistration) throws -> Data {
        let clientData = clientData("webauthn.create", begun.options.challenge, try origin(begun.page))
        return Data(
            #"""
            {"id":"\#(Self.credential)","rawId":"\#(Self.credential)","type":"public-key",
            "authenticatorAttachment":"platform","clientExtensionResults":{"credProps":{"rk":true}},
            "response":{"clientDataJSON":"\#(clientData)","attestationObject":"\#(Self.credential)","transports":["internal"]}}
            """#.utf8)
    }

    private func assertion(_ begun: PasskeySignIn, user: PasskeyBytes, signature: PasskeyBytes) throws -> Data {
        let data = Secret.sha256(begun.options.rpId) + Data([PlainVerifier.flags, 0, 0, 0, 0])
        let clientData = clientData("webauthn.get", begun.options.challenge, try origin(begun.page))
        return Data(
            #"""
            {"id":"\#(Self.credential)","type":"public-key","response":{"clientDataJSON":"\#(clientData)",
            "authenticatorData":"\#(PasskeyBytes(data))","signature":"\#(signature)","userHandle":"\#(user)"}}
            """#.utf8)
    }

    @Test("The system's JSON adds a passkey and signs in with it; the former store becomes hidden")
    func roundTrip() async throws {
        try await serve { open in
            let phone = try open("phone")
            try await phone.lists.create("Groceries")
            try await phone.syncNow()
            let adding = try await phone.signIn.passkeys.beginAdding(named: "Phone")
            let added = try await phone.signIn.passkeys.finish(adding, withJSON: try attestation(adding))
            #expect(added.name == "Phone")
            #expect(try await phone.session.state() == .identified)
            #expect(try await phone.signIn.passkeys.all() == [added])

            let tablet = try open("tablet")
            try await tablet.lists.create("Mine")
            try await tablet.syncNow()
            let begun = try await tablet.signIn.passkeys.beginSignIn(device: "Tablet")
            let user = adding.options.user.id
            let wrong = try assertion(begun, user: user, signature: PasskeyBytes(Data([9])))
            await #expect(throws: KithError.self) {
                try await tablet.signIn.passkeys.finish(begun, withJSON: wrong)
            }
            let again = try await tablet.signIn.passkeys.beginSignIn(device: "Tablet")
            let right = try assertion(again, user: user, signature: Self.credential)
            let result = try await tablet.signIn.passkeys.finish(again, withJSON: right)
            #expect(result.isOtherAccount && result.hidden.stores.count == 1)
            #expect(try await tablet.session.state() == .identified)
            try await tablet.syncNow()
            #expect(try await tablet.lists.all().map(\.name) == ["Groceries"])

            // Signing in to the current account changes nothing and leaves no second session.
            let own = try await phone.signIn.passkeys.beginSignIn(device: "Phone")
            let same = try await phone.signIn.passkeys.finish(
                own, withJSON: try assertion(own, user: user, signature: Self.credential))
            #expect(!same.isOtherAccount && same.hidden.stores.isEmpty)
            #expect(try await phone.session.all().map(\.device) == [nil, "Tablet"])

            try await phone.signIn.passkeys.remove(added.id, evenLast: true)
            #expect(try await phone.session.state() == .anonymous)
        }
    }

    @Test("Trap: The account is switched while a passkey is created – it is added to the account that has begun")
    func switched() async throws {
        try await serve { open in
            let phone = try open("phone")
            let passkeys = phone.signIn.passkeys
            let adding = try await passkeys.beginAdding(named: "Phone")
            let account = try #require(try await phone.session.account())
            try await phone.session.open()
            #expect(try await passkeys.outcome(of: adding) == nil)
            let added = try await passkeys.finish(adding, withJSON: try attestation(adding))
            #expect(try await passkeys.all().isEmpty)
            #expect(try await phone.session.state() == .anonymous)
            #expect(try await phone.accounts.store(.account(account))?.isIdentified == true)
            try await phone.session.select(.account(account))
            #expect(try await passkeys.all() == [added])
            #expect(try await phone.session.state() == .identified)
        }
    }

    @Test("Each error has its code: a refused passkey, unreadable JSON, disabled passkeys") func errors() async throws {
        try await serve { open in
            let phone = try open("phone")
            let begun = try await phone.signIn.passkeys.beginSignIn()
            let unknown = try assertion(begun, user: Self.credential, signature: Self.credential)
            #expect(await code { try await phone.signIn.passkeys.finish(begun, withJSON: unknown) } == .passkeyRefused)
            #expect(await code { try await phone.signIn.passkeys.finish(begun, withJSON: unknown) } == .notFound)
            #expect(
                await code { try await phone.signIn.passkeys.finish(begun, withJSON: Data("{}".utf8)) } == .malformed)
            let signIn = try await phone.signIn.passkeys.beginSignIn()
            #expect(try await phone.signIn.passkeys.outcome(of: signIn)?.account == nil)
            let adding = try await phone.signIn.passkeys.beginAdding()
            #expect(try await phone.signIn.passkeys.outcome(of: adding) == nil)
        }
        try await serve(isOn: false) { open in
            let phone = try open("phone")
            #expect(await code { try await phone.signIn.passkeys.beginSignIn() } == .forbidden)
            #expect(await code { try await phone.signIn.passkeys.beginAdding() } == .forbidden)
        }
    }

    @Test(
        "The archive of an account has its passkeys without their keys, how many recovery codes are left, and its network"
    )
    func archive() async throws {
        try await serve { open in
            let (phone, friend) = (try open("phone"), try open("friend"))
            let adding = try await phone.signIn.passkeys.beginAdding(named: "Ada’s phone")
            _ = try await phone.signIn.passkeys.finish(adding, withJSON: try attestation(adding))
            let codes = try await phone.signIn.createRecoveryCodes().codes
            try await friend.network.updateProfile { $0.given = "Ben" }
            try await friend.syncNow()
            try await phone.syncNow()
            let ids = try await (phone.session.account(), friend.session.account())
            let (own, bens) = (try #require(ids.0), try #require(ids.1))
            try await phone.network.connect(bens)
            try await phone.syncNow()
            try await friend.syncNow()
            try await friend.network.accept(own)
            try await friend.syncNow()
            try await phone.syncNow()

            let folder = Folder()
            let file = folder.file("archive.zip")
            let export = try await phone.export(to: file)
            #expect(export.missingReason == nil && export.people == 1)
            // The files of the archive are not compressed.
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(text.contains("contacts/network.vcf") && text.contains("\r\nFN:Ben\r\n"))
            #expect(text.contains(#""name" : "Ada’s phone""#) && text.contains(#""issuerIdentities" : ["#))
            #expect(text.contains(#""left" : 10"#) && !codes.contains { text.contains($0) })
            #expect(!text.contains("\(Self.credential)\""))
        }
    }

    private func code(_ body: () async throws -> some Any) async -> KithError.Code? {
        do {
            _ = try await body()
            return nil
        } catch { return (error as? KithError)?.code }
    }
}
