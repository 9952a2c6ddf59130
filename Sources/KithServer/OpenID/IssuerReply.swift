package import Foundation

/// An answer of an issuer.
package struct IssuerReply: Sendable {
    package let status: Int
    package let body: Data

    package init(status: Int, body: Data) { (self.status, self.body) = (status, body) }
}
