import KithModel
import Synchronization

/// The closures of a write, and of a read that follows it on the same connection, with their results.
///
/// The read has no result if it fails or does not run. In PostgreSQL, it does not run after a write that shares its
/// transaction with others. The write stands in both cases, so whoever waits can read on another connection.
package final class FollowedClosure<Written: Sendable, Value: Sendable>: TransactionWork {
    private let write: TransactionClosure<Written>
    private let read: @Sendable (Written, any Transaction) throws -> Value
    private let value = Mutex<Value?>(nil)

    init(
        _ write: @escaping @Sendable (any Transaction) throws -> Written,
        thenRead read: @escaping @Sendable (Written, any Transaction) throws -> Value
    ) {
        self.write = TransactionClosure(write)
        self.read = read
    }

    package func run(in transaction: any Transaction) throws {
        value.withLock { $0 = nil }
        try write.run(in: transaction)
    }

    package func follow(in transaction: any Transaction) {
        let read = try? read(write.result(), transaction)
        value.withLock { $0 = read }
    }

    /// Both results, when the transaction has ended. The second is nil if the read did not run or has failed.
    func results() throws -> (written: Written, read: Value?) { (try write.result(), value.withLock { $0 }) }
}
