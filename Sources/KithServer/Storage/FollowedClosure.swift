import Synchronization

/// The closures of a write, and of a read that follows it on the same connection.
///
/// The read does not run there if the write shares its transaction with others, or its result is lost if it fails.
/// Whoever waits can then read on another connection, because the write stands.
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

    var isFollowed: Bool { true }

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
