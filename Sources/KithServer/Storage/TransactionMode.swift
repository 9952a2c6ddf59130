/// How a database runs a transaction.
public enum TransactionMode: Hashable, Sendable {
    /// It may change data, and ends when its changes are durable. It locks only what the turn says; any rows if that is nil.
    case write(inTurn: FeedTurn?)
    /// It reads a snapshot, which has everything that was committed when it began, and nothing later.
    case read
    /// It reads a snapshot with a few queries that take microseconds. A database in this process runs them on the caller's
    /// thread, because a change of threads would take longer than the queries.
    case peek
    /// It peeks with one query, and may see a commit that is not yet durable. Before anybody learns its result, another
    /// transaction or ``Database/waitUntilDurable()`` must succeed. All other transactions end when what they have seen is
    /// durable.
    case check

    /// Whether it may change data.
    package var isWrite: Bool { if case .write = self { true } else { false } }
}
