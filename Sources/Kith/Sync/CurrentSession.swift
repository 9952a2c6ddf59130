import KithModel

/// The current account, and the connection to its server with the account's token, at one moment.
package struct CurrentSession: Sendable {
    package let connection: SessionConnection
    package let account: ReplicaAccount
    let id: AccountID
}

extension KithError {
    static let noSession = KithError(
        .unauthorized, "There is no session. Sign in, or open a new one.")

    /// The error if this device does not have the token of an account that is signed in. The server was not asked.
    static func noToken(of account: ReplicaAccount) -> KithError {
        let advice =
            account.session.isIdentified
            ? "Sign in again." : "Open a new session; the lists of this one can be moved to its account."
        return KithError(.unauthorized, "This device does not have the account's token, so it does not sync. \(advice)")
    }
}
