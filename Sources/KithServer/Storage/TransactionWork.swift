/// The closure of a transaction, with whoever waits for its result.
package protocol TransactionWork: Sendable {
    /// Runs the closure, keeps its result, and returns the error if it failed. The last of several runs counts.
    func run(in transaction: any Transaction) -> (any Error)?
    /// The error of the last run; nil if it has not failed.
    var failure: (any Error)? { get }
    /// Gives the result to whoever waits, or the error of the transaction if that failed.
    func answer(_ failure: (any Error)?)
    /// Runs the read that follows the closure, if there is one, in a transaction that sees what the last run has
    /// written. The result counts only if that is committed, which is known later in PostgreSQL.
    func follow(in transaction: any Transaction)
}

extension TransactionWork {
    /// Does nothing: no read follows.
    package func follow(in transaction: any Transaction) {}
}
