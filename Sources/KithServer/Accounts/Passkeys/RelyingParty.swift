import Foundation
import KithModel

/// The service that passkeys belong to, as browsers see it (WebAuthn Level 3, section 4: relying party).
package struct RelyingParty: Hashable, Sendable {
    /// The domain.
    package let id: String
    /// The origins whose pages and apps may use the domain's passkeys.
    package let origins: [String]
    /// The public address of the server, if pages there may use passkeys.
    package let address: String?

    /// The relying party of a server.
    ///
    /// A server at an IP address of this machine is `localhost`, because passkeys need a domain.
    ///
    /// - Parameters:
    ///   - settings: The operator's settings.
    ///   - address: The public address of the server, without a slash at its end.
    /// - Throws: ``ServerError`` with the code `forbidden` and what the operator can do.
    package init(_ settings: PasskeySettings, address: String) throws(ServerError) {
        let address = Self.named(address)
        let own = URLComponents(string: address).flatMap { Self.origin(of: $0) }
        guard let id = settings.domain ?? own.flatMap({ Self.host(of: $0) }), Self.isDomain(id) else {
            throw ServerError(
                .forbidden, "This server uses no passkeys: its address is no domain. Set passkey-domain.")
        }
        let origins = settings.origins.isEmpty ? own.map { [$0] } ?? [] : settings.origins
        if let wrong = origins.first(where: { !Self.accepts($0, of: id) }) {
            throw ServerError(
                .forbidden,
                """
                This server uses no passkeys: “\(wrong)” is not a secure origin of the domain \(id). Set \
                passkey-origins to https origins of that domain.
                """)
        }
        (self.id, self.origins) = (id, origins)
        self.address = own.flatMap { origins.contains($0) ? address : nil }
    }

    /// Whether a text can be an origin of an app or of a secure page.
    static func isOrigin(_ text: String) -> Bool {
        if isApp(text) { return true }
        guard let parts = URLComponents(string: text), origin(of: parts) == text, let host = parts.host else {
            return false
        }
        return parts.scheme == "https" || isLocal(host)
    }

    /// Whether a text can be a relying party's id: a domain in lower case, no IP address.
    static func isDomain(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isWellFormed = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
        let isNumber = labels.last.map { $0.allSatisfy(\.isNumber) } ?? true
        return isWellFormed && !isNumber && text.utf8.count <= 253 && text == text.lowercased()
            && (labels.count > 1 || text == "localhost")
    }

    /// Whether pages of an origin may use passkeys of a domain.
    private static func accepts(_ origin: String, of domain: String) -> Bool {
        guard isOrigin(origin) else { return false }
        guard !isApp(origin), let host = host(of: origin) else { return isApp(origin) }
        return host == domain || host.hasSuffix("." + domain)
    }

    /// The origin of an Android app: the hash of its signing certificate.
    private static func isApp(_ origin: String) -> Bool {
        origin.wholeMatch(of: /android:apk-key-hash:[A-Za-z0-9_\-]{43}/) != nil
    }

    private static func isLocal(_ host: String) -> Bool { host == "localhost" || host.hasSuffix(".localhost") }

    private static func host(of origin: String) -> String? { URLComponents(string: origin)?.host }

    /// The origin of an address as browsers write it (RFC 6454, section 6.2).
    private static func origin(of parts: URLComponents) -> String? {
        guard let scheme = parts.scheme, let host = parts.host, ["http", "https"].contains(scheme) else { return nil }
        let isDefault = parts.port == nil || parts.port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host.lowercased())" + (isDefault ? "" : ":\(parts.port ?? 0)")
    }

    /// The address with the name of this machine instead of its IP address.
    private static func named(_ address: String) -> String {
        guard var parts = URLComponents(string: address), let host = parts.host,
            IPAddress(host.trimmingCharacters(in: ["[", "]"]))?.isLoopback == true
        else { return address }
        parts.host = "localhost"
        return parts.string ?? address
    }
}
