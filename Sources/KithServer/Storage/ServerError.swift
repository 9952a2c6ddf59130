public import KithModel

/// An error of the server: a code for programs, a sentence for people, and the internal cause.
///
/// It is independent of HTTP; the HTTP layer derives the status from ``code``.
public struct ServerError: Error {
    /// What went wrong, for programs.
    public let code: Problem.Code
    /// What happened and what to do next, for people.
    public let sentence: String
    /// Where in the request the fault is: a JSON path such as `$.mutations[3].number`.
    public let path: String?
    /// How long to wait before trying again.
    public let retryAfter: Duration?
    /// The underlying error, for the server's log, never for the answer.
    public let cause: (any Error)?

    /// An error with this code and this sentence.
    public init(
        _ code: Problem.Code, _ sentence: String, path: String? = nil, retryAfter: Duration? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.path = path
        self.retryAfter = retryAfter
        self.cause = cause
    }
}

extension ServerError: CustomStringConvertible {
    /// The error in one line, with its cause: for the server's log.
    public var description: String {
        let place = path.map { " at \($0)" } ?? ""
        let reason = cause.map { " (\($0))" } ?? ""
        return "\(code.rawValue)\(place): \(sentence)\(reason)"
    }
}

extension ServerError {
    /// The error for a token without a session.
    static let unknownToken = ServerError(
        .tokenInvalid, "The token is unknown or was revoked. Sign in again, or open a new session.")
    /// The error for requests of a deleted account.
    static let accountClosed = ServerError(
        .accountClosed, "The account was deleted. Sign in to another one, or open a new session.")
    /// The error of a server that has stopped because a newer program upgrades the database.
    static let superseded = ServerError(
        .busy, "A newer program upgrades the database, and this one may not use it any more. Start the newer program.")
}
