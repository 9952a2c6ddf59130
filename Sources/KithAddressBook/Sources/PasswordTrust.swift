package import Foundation

/// Decides where an account's password may be sent: only to the account's own server, and encrypted.
package struct PasswordTrust: Sendable {
    /// The reason why the password may not be sent to an address.
    package enum Refusal: Hashable, Sendable {
        /// It is not the address of a server.
        case noAddress
        /// It contains a name or a password, which would be stored and shown with it.
        case signedIn
        /// The password would be sent unencrypted.
        case unencrypted
        case otherHost
        case otherPort
    }

    /// The account's address, as the user gave it.
    package let address: URL
    /// Whether the user allows the password to be sent unencrypted. Within this device it always may be.
    package let withoutTLS: Bool

    package init(address: URL, withoutTLS: Bool) { (self.address, self.withoutTLS) = (address, withoutTLS) }

    /// Why the password may not go to the account's own address; nil if it may.
    package var refusal: Refusal? { refusal(of: address) }

    /// Why the password may not go to `url`, where a redirect or an answer leads; nil if it may.
    package func refusal(of url: URL) -> Refusal? {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = Self.host(of: url)
        else { return .noAddress }
        guard url.user() == nil, url.password() == nil else { return .signedIn }
        guard host == Self.host(of: address) else { return .otherHost }
        guard scheme == "https" || withoutTLS || Self.isLoopback(url) else { return .unencrypted }
        let own = address.scheme?.lowercased()
        // An upgrade to TLS changes the port. It is allowed.
        if scheme == "https" && own == "http" { return nil }
        return scheme == own && Self.port(of: url) == Self.port(of: address) ? nil : .otherPort
    }

    /// Whether requests to `url` stay on this device.
    package static func isLoopback(_ url: URL) -> Bool {
        ["127.0.0.1", "::1", "localhost"].contains(host(of: url))
    }

    /// The host in lowercase; an IPv6 address without its brackets, which some APIs keep.
    private static func host(of url: URL) -> String? {
        let host = url.host()?.lowercased().trimmingCharacters(in: ["[", "]"]) ?? ""
        return host.isEmpty ? nil : host
    }

    private static func port(of url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
}
