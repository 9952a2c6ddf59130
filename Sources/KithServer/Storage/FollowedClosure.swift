import Synchronization

/// The closure of a write, and of a read that follows it at once if nothing prevents it.
final class FollowedClosure<Written: Sendable, Value: Sendable>: TransactionWork {
    private let write: TransactionClosure<Written>
    private let read: @Sendable (Written, any Transaction) throws -> Value
    private let tell: @Sendable (Result<(Written, Value?), any Error>) -> Void
    private let value = Mutex<Value?>(nil)

    /// - Parameters:
    ///   - write: The closure of the write.
    ///   - read: The closure of the read, which has the result of the write.
    ///   - tell: Receives both results. The second is nil if it was not read, or could not be.
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
