import Foundation
package import HTTPTypes

/// Where a form was sent from: a page of this server, another website, or a program that is not a browser.
///
/// The forms of links use no cookies. A form that another website sends in somebody's browser therefore has no more rights
/// than one that the website sends itself, and refusing it protects the limits of the person's address. The forms of an
/// account have a ``FormProof`` besides.
package enum FormSource: Hashable, Sendable {
    case here, elsewhere, unknown

    /// Reads the headers of a request.
    ///
    /// `Sec-Fetch-Site` decides if there is one (W3C Fetch Metadata). Otherwise `Origin` must have the host of the
    /// request. Browsers send `Origin: null` for a page with `Referrer-Policy: no-referrer`, so that says nothing.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request.
    ///   - authority: The host and port of the request, as the client named them.
    ///   - publicURL: The public address of the server.
    package init(_ headers: HTTPFields, authority: String?, publicURL: String) {
        if let site = headers[.secFetchSite] {
            self = ["same-origin", "none"].contains(site) ? .here : .elsewhere
            return
        }
        guard let origin = headers[.origin], origin != "null" else {
            self = .unknown
            return
        }
        let own = [authority, Self.authority(of: publicURL)].compactMap { $0?.lowercased() }
        self = Self.authority(of: origin).map { own.contains($0.lowercased()) } ?? false ? .here : .elsewhere
    }

    /// The host and, if it is written, the port of a URL.
    private static func authority(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { return nil }
        return host + (parts.port.map { ":\($0)" } ?? "")
    }
}

extension HTTPField.Name {
    // The name is constant and valid.
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
