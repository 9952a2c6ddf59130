/// The answers to statements that were sent together.
struct PostgresFlight {
    /// The results of those that have succeeded: of all before the first that has failed.
    var results: [PostgresResult] = []
    /// Why not all have succeeded, or why it is not known; nil if all have.
    var failure: PostgresFailure?
}
