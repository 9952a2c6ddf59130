import KithModel
import Synchronization

/// The closure of a transaction with its typed result. It can run several times; the last run counts.
final class PostgresWork<T: Sendable>: TransactionWork {
    private let body: @Sendable (any Transaction) throws -> T
    private let tell: @Sendable (Result<T, any Error>) -> Void
    private let result = Mutex<Result<T, any Error>?>(nil)

    init(
        _ body: @escaping @Sendable (any Transaction) throws -> T,
        tell: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        self.body = body
        self.tell = tell
    }

    func run(in transaction: any Transaction) -> (any Error)? {
        let outcome = Result { try body(transaction) }
        result.withLock { $0 = outcome }
        guard case .failure(let error) = outcome else { return nil }
        return error
    }

    func answer(_ failure: (any Error)?) {
        let left = Result<T, any Error>.failure(ServerError(.internalError, "A transaction did not run."))
        tell(failure.map { .failure($0) } ?? result.withLock { $0 } ?? left)
    }
}
