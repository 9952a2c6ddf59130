/// The state of the app's session with the server.
public enum SessionState: String, Sendable, CaseIterable {
    /// No session has been opened yet. Everything works locally, and edits wait on the device.
    case initial
    /// An anonymous session is open.
    case anonymous
    /// The account has a verified email or phone number. No server of this version reports this state.
    case identified
    /// The user has logged out. Edits go to the userless store.
    case loggedOut
    /// The server does not accept the token any more. Edits are kept and wait.
    case invalidToken
    /// The server has failed, and retries have not succeeded yet.
    case serverError
    /// The account was deleted, on this device or elsewhere. Its data can be read, but nothing is sent any more.
    case inactive

    /// Whether rounds can be made in this state.
    var isSignedIn: Bool { self == .anonymous || self == .identified || self == .serverError }
}
