import KithModel

/// The session of whoever calls an operation. Its token was checked.
struct CallerSession: Sendable {
    /// What the API shows of the session.
    let description: SessionDescription
    let token: String

    var account: AccountID { description.account }
    /// The kind of the account: see ``AccountKind``.
    var kind: String { description.kind }
}

extension Call {
    /// The caller's session, with its address.
    func requester(_ session: CallerSession) -> Requester {
        Requester(.session(session.account), token: session.token, address: incoming.address)
    }
}
