import Foundation
package import KithModel

/// Who sends a request about signing in.
package struct Requester: Sendable {
    /// Where a request comes from.
    package enum Origin: Sendable {
        /// A device, with a session of this account.
        case session(AccountID)
        /// The page of a link, which has no session and gets none.
        case linkPage
        /// A browser in which somebody signs in. Somebody who has used the browser before may know its token, so a right code
        /// gives a new one.
        case browser
    }

    let origin: Origin
    /// What the requester alone knows: the token of the session, the ticket of the page, or the cookie of the browser.
    let token: String
    /// The address of the client. Limits count its network, and messages name it.
    let address: IPAddress

    package init(_ origin: Origin, token: String, address: IPAddress) {
        (self.origin, self.token, self.address) = (origin, token, address)
    }

    /// The account of the session. nil for a page and a browser: their account is stored with the request for the code.
    var account: AccountID? { if case .session(let account) = origin { account } else { nil } }

    /// The SHA-256 of the token, by which the session is stored.
    var session: Data { Secret.sha256(token) }
}
