import KithModel

/// The answer to a request of signing in.
struct SignInAnswer {
    /// The id of the requested code.
    let id: CodeID
    /// The size of the JSON body.
    let bytes: Int
    /// The status, and the time to wait if the request is refused.
    let meaning: String
}
