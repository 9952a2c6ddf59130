/// The state of the app's session with the server.
public enum SessionState: String, Sendable, CaseIterable {
    /// No session has been opened yet, or the server refuses an anonymous one and a new one replaces it. Everything works
    /// locally, and edits wait on the device.
    case initial
    /// An anonymous session is open.
    case anonymous
    /// The account has a proved email or number, an identity at an issuer, or a passkey: the user can sign in to it again.
    case identified
    /// The user has logged out. Edits go to the userless store.
    case loggedOut
    /// The server does not accept the token any more. Edits are kept and wait. Ask the user to sign in again.
    case invalidToken
    /// The server has failed, and retries have not succeeded yet. Attempts go on with growing pauses.
    case serverError
    /// The account was deleted, on this device or elsewhere. Its data can be read, but nothing is sent any more: edits stay on
    /// this device. Offer the user to sign in, or to begin anew with ``Sessions/open()``, and to move the data:
    /// ``Accounts/decide(_:about:lists:)``.
    case inactive

    /// Whether the server has accepted the session and has not failed since, so that links can be created.
    public var isReadyToShare: Bool { self == .anonymous || self == .identified }

    /// Whether rounds can be made in this state.
    var isSignedIn: Bool { isReadyToShare || self == .serverError }
}
