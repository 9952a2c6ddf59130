public import KithModel

/// The purpose of a secret.
public enum Credential: Hashable, Sendable {
    /// An account's session: the secret is its token.
    case session(AccountID)
    /// A source of the address book, by its id: the secret is its password.
    case source(String)
    /// A session that was ended on this device but not yet on its server. The secret is its token, stored until the
    /// server is told.
    case ended(String)
    /// A temporary session that was opened to sign in while the current store had no session. The secret is its server
    /// and its token, separated by a space.
    case signIn
}

extension Credential {
    /// The key under which the secret is stored: the account's identity or, for other purposes, a name that is never an
    /// identity.
    var name: String {
        switch self {
        case .session(let account): account.description
        case .source(let id): Self.sourceMark + id
        case .ended(let id): Self.endedMark + id
        case .signIn: "sign-in"
        }
    }

    var isSession: Bool {
        switch self {
        case .session, .signIn: true
        case .source, .ended: false
        }
    }

    static let sourceMark = "source "
    static let endedMark = "ended "
}
