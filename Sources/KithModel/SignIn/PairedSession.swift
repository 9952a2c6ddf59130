/// The session that a pairing has opened: the answer of `POST /v1/pairings/use`. The session that sent the request stays
/// open.
package struct PairedSession: Hashable, Sendable, Codable {
    /// The account of the session, which is the account of the device that made the pairing.
    package var account: AccountID
    /// The token of the session.
    package var token: String
    /// `anonymous`, or `identified` if the account has a proved number or email, an identity at an issuer, or a passkey.
    package var kind: String
    /// The server that has the account.
    package var server: ServerID?

    package init(account: AccountID, token: String, kind: String, server: ServerID?) {
        (self.account, self.token, self.kind, self.server) = (account, token, kind, server)
    }
}
