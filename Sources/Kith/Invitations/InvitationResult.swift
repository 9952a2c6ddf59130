public import KithModel

/// The result of one of several invitations that were made together.
public struct InvitationResult: Sendable {
    /// The recipient, as it was passed.
    public let recipient: Identity
    /// The invitation, or why there is none.
    public let result: Result<Invitation, KithError>

    /// Creates a result.
    public init(recipient: Identity, result: Result<Invitation, KithError>) {
        (self.recipient, self.result) = (recipient, result)
    }
}
