/// What a transaction does. It keeps its result.
public protocol TransactionWork: Sendable {
    /// Runs it, and keeps the result. The last of several runs counts.
    func run(in transaction: any Transaction) throws

    /// Runs the read that follows a write, if there is one, in a transaction that sees what the last run has written. The
    /// result counts only if that is committed, which is known later in PostgreSQL.
    func follow(in transaction: any Transaction)
}

extension TransactionWork {
    /// Does nothing: no read follows.
    public func follow(in transaction: any Transaction) {}
}
