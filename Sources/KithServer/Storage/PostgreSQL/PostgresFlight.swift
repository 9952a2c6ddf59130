/// The answers to statements that were sent together.
struct PostgresFlight {
    /// The results of those that have succeeded: of all before the first that has failed.
    var results: [PostgresResult] = []
    /// Whether PostgreSQL has ended its answers. Otherwise it is not known what was run after the last result.
    var isComplete = false
    /// Why not all have succeeded, or why it is not known; nil if all have.
    var failure: PostgresFailure?
}
