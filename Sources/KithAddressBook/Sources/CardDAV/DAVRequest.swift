package import Foundation

/// One HTTP request to a WebDAV server.
package struct DAVRequest: Sendable {
    /// `PROPFIND`, `REPORT`, `GET`, `PUT`.
    package var method: String
    package var url: URL
    package var headers: [String: String]
    package var body: Data?
    /// The most bytes that the answer's body may have.
    package var limit: Int
    package var extent = Extent.whole
    /// The user and the password for Digest (RFC 7616); nil if the request does not use Digest.
    package var digest: Digest?

    /// What the caller can do if the answer takes too long.
    package enum Extent: Sendable {
        /// Nothing: a listing is complete or useless.
        case whole
        /// Request fewer cards.
        case cards
        /// Show the other cards without this one.
        case card
    }

    /// The credentials for Digest. The password itself is not sent.
    package struct Digest: Hashable, Sendable {
        package let user: String
        package let password: String

        package init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, limit: Int) {
        (self.method, self.url, self.headers, self.body, self.limit) = (method, url, headers, body, limit)
    }
}
