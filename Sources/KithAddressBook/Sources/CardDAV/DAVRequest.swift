package import Foundation
import Kith

/// One HTTP request to a WebDAV server.
package struct DAVRequest: Sendable {
    /// `PROPFIND`, `REPORT`, `GET`, `PUT`.
    package var method: String
    package var url: URL
    package var headers: [String: String]
    package var body: Data?
    /// How many bytes the answer's body may have.
    package var limit: Int
    package var extent = Extent.whole
    /// The user and the password for Digest (RFC 7616); nil if the request is not signed with it.
    package var digest: Digest?

    /// What can be done if the answer takes too long.
    package enum Extent: Sendable {
        /// Nothing: a listing is whole, or none.
        case whole
        /// Fewer cards can be asked for.
        case cards
        /// The others can be shown without this card.
        case card
    }

    /// A name and its password, which is not sent itself.
    package struct Digest: Hashable, Sendable {
        package let user: String
        package let password: String

        package init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, limit: Int) {
        (self.method, self.url, self.headers, self.body, self.limit) = (method, url, headers, body, limit)
    }
}
