public import KithModel

/// The result for one recipient of a call that invites, or writes an email to, several people.
public struct RecipientResult<Made: Sendable>: Sendable {
    /// The recipient, as it was passed.
    public let recipient: Identity
    /// The invitation or the share, or why there is none.
    public let result: Result<Made, KithError>

    package init(recipient: Identity, result: Result<Made, KithError>) {
        (self.recipient, self.result) = (recipient, result)
    }
}
