import Synchronization

/// The closures of a write, and of a read that follows it on the same connection.
///
/// The read has no result if it fails or does not run. In PostgreSQL, it does not run after a write that shares its
/// transaction with others. The write stands in both cases, so whoever waits can read on another connection.
final class FollowedClosure<Written: Sendable, Value: Sendable>: TransactionWork {
    private let write: TransactionClosure<Written>
    private let read: @Sendable (Written, any Transaction) throws -> Value
    private let tell: @Sendable (Result<(Written, Value?), any Error>) -> Void
    private let value = Mutex<Value?>(nil)

    /// - Parameters:
    ///   - write: The closure of the write.
    ///   - read: The closure of the read, which has the result of the write.
    ///   - tell: Receives both results, or the error of the write. The second is nil if the read did not run or has
    ///     failed.
    init(
        _ write: @escaping @Sendable (any Transaction) throws -> Written,
        thenRead read: @escaping @Sendable (Written, any Transaction) throws -> Value,
        tell: @escaping @Sendable (Result<(Written, Value?), any Error>) -> Void
    ) {
        self.write = TransactionClosure(write)
        (self.read, self.tell) = (read, tell)
    }

    var failure: (any Error)? { write.failure }

    func run(in transaction: any Transaction) -> (any Error)? {
        value.withLock { $0 = nil }
        return write.run(in: transaction)
    }

    func follow(in transaction: any Transaction) {
        let read = try? read(write.outcome().get(), transaction)
        value.withLock { $0 = read }
    }

    func answer(_ failure: (any Error)?) {
        write.answer(failure)
        tell(write.outcome().map { ($0, value.withLock(\.self)) })
    }
}
