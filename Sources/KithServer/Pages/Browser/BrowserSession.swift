package import KithModel

/// The session of a browser on the pages of an account.
package struct BrowserSession: Hashable, Sendable {
    /// The session, an ordinary one of the account.
    package let session: SessionDescription
    /// The token of the session, which is the value of the cookie.
    package let token: String

    package init(_ session: SessionDescription, token: String) { (self.session, self.token) = (session, token) }

    /// The account of the session.
    package var account: AccountID { session.account }

    /// Whether somebody has signed in. While somebody waits for a code, the browser has a session of an account that nobody
    /// knows yet.
    package var isSignedIn: Bool { session.kind != "anonymous" }

    /// The proof for a form of the account's pages.
    package func proof(_ purpose: String) -> FormProof { FormProof(purpose, of: token) }
}
