import KithModel

/// The current account and the connection to its server, at one moment.
package struct CurrentSession: Sendable {
    package let connection: ServerConnection
    package let token: String
    package let account: ReplicaAccount
    let id: AccountID
}
