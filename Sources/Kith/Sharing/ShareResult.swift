public import KithModel

/// The result of one of several emails that were written together.
public struct ShareResult: Sendable {
    /// The recipient, as it was passed.
    public let recipient: Identity
    /// The share, or why there is none.
    public let result: Result<Share, KithError>

    /// Creates a result.
    public init(recipient: Identity, result: Result<Share, KithError>) {
        (self.recipient, self.result) = (recipient, result)
    }
}
