import Foundation
import Kith
import KithAddressBook
import Testing

@Suite("Where a password may be sent") struct PasswordTrustTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let account: String
        let withoutTLS: Bool
        let to: String
        let refusal: PasswordTrust.Refusal?
        var testDescription: String { "\(account)\(withoutTLS ? " without TLS" : "") ▶ \(to)" }
    }

    static let cases: [Case] = {
        let table: [(String, String, PasswordTrust.Refusal?)] = [
            ("https://dav.example.com", "https://dav.example.com/ada/", nil),
            ("https://dav.example.com", "https://DAV.example.com:443/ada/", nil),
            ("https://dav.example.com:8443", "https://dav.example.com:8443/", nil),
            ("https://dav.example.com", "https://evil.example.net/", .otherHost),
            ("https://dav.example.com", "https://dav.example.com.evil.net/", .otherHost),
            ("https://dav.example.com", "https://ada:secret@dav.example.com/", .signedIn),
            ("https://dav.example.com", "https://dav.example.com@evil.example.net/", .signedIn),
            ("https://dav.example.com", "https://dav.example.com:8443/", .otherPort),
            ("https://dav.example.com", "http://dav.example.com/", .unencrypted),
            ("https://dav.example.com", "ftp://dav.example.com/", .noAddress),
            ("https://dav.example.com", "mailto:ada@dav.example.com", .noAddress),
            ("https://dav.example.com", "file:///etc/passwd", .noAddress),
            ("http://dav.example.com", "http://dav.example.com/", .unencrypted),
            ("http://dav.example.com", "https://dav.example.com/", nil),
            ("http://127.0.0.1:5232", "http://127.0.0.1:5232/", nil),
            ("http://LOCALHOST:5232", "http://localhost:5232/", nil),
            ("http://[::1]:5232", "http://[::1]:5232/", nil),
            ("http://[::1]:5232", "http://[::1]/", .otherPort),
            ("http://127.0.0.1.example.com", "http://127.0.0.1.example.com/", .unencrypted),
            ("http://127.0.0.1:5232", "http://[::1]:5232/", .otherHost),
            ("https://localhost", "http://localhost/", .otherPort),
        ]
        let withoutTLS: [(String, String, PasswordTrust.Refusal?)] = [
            ("http://dav.example.com", "http://dav.example.com/ada/", nil),
            ("http://dav.example.com", "http://dav.example.com:8080/", .otherPort),
            ("https://dav.example.com", "http://dav.example.com/", .otherPort),
            ("https://dav.example.com", "http://dav.example.com:443/", .otherPort),
        ]
        return table.map { Case(account: $0.0, withoutTLS: false, to: $0.1, refusal: $0.2) }
            + withoutTLS.map { Case(account: $0.0, withoutTLS: true, to: $0.1, refusal: $0.2) }
    }()

    @Test("It is sent only to the account's server, and encrypted except to this device", arguments: cases)
    func table(sample: Case) throws {
        let account = try #require(URL(string: sample.account))
        let url = try #require(URL(string: sample.to))
        #expect(PasswordTrust(address: account, withoutTLS: sample.withoutTLS).refusal(of: url) == sample.refusal)
    }
}
