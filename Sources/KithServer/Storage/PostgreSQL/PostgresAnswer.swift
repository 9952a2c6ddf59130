/// The place for the result of a statement that was asked for.
final class PostgresAnswer {
    /// The result; nil until it has arrived.
    var result: PostgresResult?
}
