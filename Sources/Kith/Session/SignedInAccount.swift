import KithModel

/// The account that a sign-in has opened, with what the device knows about it.
struct SignedInAccount: Sendable {
    /// The account and its server, with the token of a new session; a nil token means the session's own account.
    var signedIn: SignedIn
    /// The number or email that was proved; nil for other ways to sign in.
    var identity: Identity?
    /// Whether the account is identified; nil to ask the server.
    var isIdentified: Bool?
}
