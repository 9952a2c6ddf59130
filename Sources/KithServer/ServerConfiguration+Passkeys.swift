import Foundation
import KithModel

extension ServerConfiguration {
    /// The settings of passkeys.
    static let passkeySettings: [Setting] = [
        Setting("passkeys", "Whether users can sign in with passkeys (on).", isOn: \.passkeys.isOn),
        Setting(
            "passkey-domain", "The domain of the passkeys (the host of the public address).",
            "a domain such as example.com", optional: \.passkeys.domain
        ) { RelyingParty.isDomain($0) ? $0 : nil },
        Setting(
            "passkey-origins",
            "The web pages and Android apps that may use passkeys, separated by commas (the public address).",
            "https://example.com, http://localhost:8480 or android:apk-key-hash:…",
            \.passkeys.origins
        ) {
            list($0) { RelyingParty.isOrigin($0) ? $0 : nil }
        },
    ]

    /// Checks that the settings of passkeys fit together, if the operator has set any.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    func checkPasskeys() throws {
        guard passkeys.isOn, passkeys.domain != nil || !passkeys.origins.isEmpty else { return }
        do throws(ServerError) {
            _ = try RelyingParty(passkeys, address: publicURL ?? url(port: port).absoluteString)
        } catch {
            throw ServerError(.malformed, error.sentence)
        }
    }
}
