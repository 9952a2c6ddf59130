import Foundation
package import KithModel

/// The session or the web page that a request about signing in comes from.
package struct Requester: Sendable {
    let account: AccountID
    let token: String
    /// The network of the client, as text: a /24 of IPv4, a /56 of IPv6.
    let network: String
    /// The address of the client, for messages.
    let address: String
    /// Whether a web page sends the request. A page has no session and no account: `token` is the page's ticket, and
    /// `account` is the id of the account that a right code creates if no account has the identity.
    let isPage: Bool
    /// Whether a browser sends the request, in which somebody signs in: `token` is its cookie. Somebody who has used the
    /// browser before may know that token, so a right code gives a new one. The account is that of the request for the code:
    /// `account` is not used to check it.
    let isBrowser: Bool

    package init(
        account: AccountID, token: String, network: String, address: String, isPage: Bool = false,
        isBrowser: Bool = false
    ) {
        (self.account, self.token, self.network, self.address) = (account, token, network, address)
        (self.isPage, self.isBrowser) = (isPage, isBrowser)
    }

    /// The SHA-256 of the token, by which the session is stored.
    var session: Data { Secret.sha256(token) }
}
