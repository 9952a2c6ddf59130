/// What a transaction is for.
package enum PostgresMode: Hashable, Sendable {
    /// It reads one snapshot.
    case read
    /// It may change data.
    case write
    /// It brings the tables to this program's version, which may take long.
    case opening

    /// The statement that begins it.
    var beginning: String {
        switch self {
        case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        // Whether it may write is left to the server: operators and failovers make a database read-only.
        case .write, .opening: "BEGIN ISOLATION LEVEL READ COMMITTED"
        }
    }
}
