package import HTTPTypes
import KithModel

/// A cookie of the web pages: a secret that only this server reads, and that no script sees.
///
/// Over TLS its name begins with `__Host-`, so that no other host, not even one of the same domain, and no page without
/// TLS can set it (RFC 6265bis, section 4.1.3.2). Browsers keep such a cookie only for the path `/`. Without TLS, which is
/// for a server on this machine, the name is plain.
package struct PageCookie: Hashable, Sendable {
    /// Whether browsers send the cookie when somebody follows a link from another website (RFC 6265bis, section 5.2).
    package enum Sites: String, Sendable {
        /// Yes, but not with a form or a picture of the other website.
        case lax = "Lax"
        /// No.
        case strict = "Strict"
    }

    /// The cookie of somebody who is signed in to their account: the token of an ordinary session.
    package static let account = PageCookie("kith", .lax, lifetime: .days(30))

    /// The longest value that is read.
    private static let longest = 128

    private let plainName: String
    private let sites: Sites
    private let lifetime: Duration

    /// A cookie.
    ///
    /// - Parameters:
    ///   - name: The name, without the prefix.
    ///   - sites: Whether browsers send it when somebody comes from another website.
    ///   - lifetime: How long browsers keep it.
    package init(_ name: String, _ sites: Sites, lifetime: Duration) {
        (plainName, self.sites, self.lifetime) = (name, sites, lifetime)
    }

    /// The name that browsers know.
    package func name(isSecure: Bool) -> String { isSecure ? "__Host-\(plainName)" : plainName }

    /// The field `Set-Cookie` that sets the cookie.
    ///
    /// - Parameters:
    ///   - value: The value: letters, digits, `-` and `_`.
    ///   - isSecure: Whether the public address of the server has TLS.
    /// - Returns: The value of the field.
    package func setting(_ value: String, isSecure: Bool) -> String {
        field(value, seconds: lifetime.wholeSeconds, isSecure: isSecure)
    }

    /// The field `Set-Cookie` that removes the cookie.
    package func removing(isSecure: Bool) -> String { field("", seconds: 0, isSecure: isSecure) }

    private func field(_ value: String, seconds: Int, isSecure: Bool) -> String {
        "\(name(isSecure: isSecure))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=\(sites.rawValue)"
            + (isSecure ? "; Secure" : "")
    }

    /// The value that a browser has sent; nil if it has none, or one that this server has not set.
    package func value(in headers: HTTPFields, isSecure: Bool) -> String? {
        let name = name(isSecure: isSecure)
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.drop { $0 == " " } }
                guard parts.count == 2, parts[0] == name else { continue }
                return Self.isValue(parts[1]) ? String(parts[1]) : nil
            }
        }
        return nil
    }

    private static func isValue(_ text: Substring) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
}
