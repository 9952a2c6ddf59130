import Foundation

/// The addresses that the server contacts for an issuer.
package enum IssuerAddress {
    /// Whether an address may be contacted: https, or http on this machine if the issuer itself is there, for development.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - issuer: The issuer's URL.
    /// - Returns: Whether the server contacts it.
    package static func isAllowed(_ address: String, for issuer: String) -> Bool {
        guard address.utf8.count <= 2_000, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URLComponents(string: address), let host = url.host, !host.isEmpty, url.user == nil,
            url.password == nil, url.fragment == nil
        else { return false }
        if url.scheme == "https" { return true }
        return url.scheme == "http" && IPAddress.isLoopback(host: host)
            && IPAddress.isLoopback(host: URLComponents(string: issuer)?.host ?? "")
    }
}
