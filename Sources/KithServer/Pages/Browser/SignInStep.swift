/// What happens after somebody has sent a form of the page on which they sign in.
package enum SignInStep: Sendable {
    /// The browser gets a page. With a token, it also gets the cookie of a session that waits for the code.
    case page(Page, token: String?)
    /// The browser is signed in: it gets the cookie, and opens the page of the account, which says what has happened.
    case signedIn(token: String, AccountPage.Notice?)
}
