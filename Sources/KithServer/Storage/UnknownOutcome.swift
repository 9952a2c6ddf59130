import KithModel

/// The answer to a commit was lost, or the commit was not replicated: the change may exist, now or after a failover, or
/// not.
///
/// It is the cause of a ``ServerError`` with the code `busy`. Whoever gets it can look up whether the change was made.
package struct UnknownOutcome: DatabaseFailure, Hashable, CustomStringConvertible {
    /// Why it is unknown, in PostgreSQL's words.
    package let words: String
    /// Whether the connection has ended without the answer.
    package let isConnectionLost: Bool

    package init(_ words: String, isConnectionLost: Bool = false) {
        self.words = words
        self.isConnectionLost = isConnectionLost
    }

    package var description: String { "The outcome of the commit is unknown: \(words)" }

    package var kind: DatabaseFailureKind { isConnectionLost ? .unreachable(isLasting: false) : .passing }

    /// The error for the caller.
    package var serverError: ServerError {
        ServerError(
            .busy, "The database's answer was lost. The change may have been made; send it again.",
            retryAfter: .seconds(1), cause: self)
    }
}
