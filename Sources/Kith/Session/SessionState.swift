/// How the app stands with the server.
public enum SessionState: String, Sendable, CaseIterable {
    /// No session was opened yet. Everything works and waits on the device.
    case initial
    /// An anonymous session is open.
    case anonymous
    /// The account has proved an email or a phone number. No server of this version says so yet.
    case identified
    /// The user has logged out. Edits go to the userless store.
    case loggedOut
    /// The server no longer accepts the token. Edits are kept and wait.
    case invalidToken
    /// The server failed in a way that waiting did not mend yet.
    case serverError
    /// The account was deleted, here or elsewhere. What it had stays readable; nothing is sent any more.
    case inactive

    /// Whether rounds can be made in this state.
    var isSignedIn: Bool { self == .anonymous || self == .identified || self == .serverError }
}
