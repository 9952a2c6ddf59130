import KithModel
import KithServer
import Testing

@Suite("The relying party of passkeys") struct RelyingPartyTests {
    @Test(
        "Follows from the public address",
        arguments: [
            ("https://kith.example.com", "kith.example.com", "https://kith.example.com"),
            ("https://Kith.Example.com:8443/base", "kith.example.com", "https://kith.example.com:8443"),
            ("http://127.0.0.1:8480", "localhost", "http://localhost:8480"),
            ("http://[::1]:8480", "localhost", "http://localhost:8480"),
            ("http://localhost:8480", "localhost", "http://localhost:8480"),
        ])
    func derived(address: String, domain: String, origin: String) throws {
        let party = try RelyingParty(PasskeySettings(), address: address)
        #expect(party.id == domain && party.origins == [origin])
        #expect(party.address != nil)
    }

    @Test(
        "Does not exist at an address that is no domain or not secure",
        arguments: ["https://203.0.113.7", "http://192.168.0.2:8480", "http://kith.example.com", ""])
    func none(address: String) {
        let error = #expect(throws: ServerError.self) { try RelyingParty(PasskeySettings(), address: address) }
        #expect(error?.code == .forbidden && error?.sentence.contains("passkey-") == true)
    }

    @Test("Can be a parent domain, with origins of its subdomains and of Android apps") func configured() throws {
        var settings = PasskeySettings()
        settings.domain = "example.com"
        let app = "android:apk-key-hash:" + String(repeating: "a", count: 43)
        settings.origins = ["https://app.example.com", app]
        let party = try RelyingParty(settings, address: "https://kith.example.com")
        #expect(party.id == "example.com" && party.origins == settings.origins)
        #expect(party.address == nil, "The server's own page is not among the origins.")
    }

    @Test("Refuses origins of other domains", arguments: ["https://evil.com", "https://badexample.com"])
    func foreign(origin: String) {
        var settings = PasskeySettings()
        settings.domain = "example.com"
        settings.origins = [origin]
        #expect(throws: ServerError.self) { try RelyingParty(settings, address: "https://example.com") }
    }

    @Test(
        "Settings are checked as they are read",
        arguments: [
            ["passkeys": "maybe"], ["passkey-domain": "203.0.113.7"], ["passkey-domain": "Example.com"],
            ["passkey-domain": "com"], ["passkey-origins": "http://example.com"],
            ["passkey-origins": "https://example.com/page"], ["passkey-origins": "android:apk-key-hash:short"],
        ])
    func settings(flags: [String: String]) {
        #expect(throws: ServerError.self) { try ServerConfiguration(flags: flags) }
    }

    @Test("The settings of a service are used") func taken() throws {
        let configuration = try ServerConfiguration(flags: [
            "passkeys": "off", "passkey-domain": "example.com",
            "passkey-origins": "https://a.example.com,http://localhost:8480",
        ])
        #expect(!configuration.passkeys.isOn && configuration.passkeys.domain == "example.com")
        #expect(configuration.passkeys.origins == ["https://a.example.com", "http://localhost:8480"])
    }
}
