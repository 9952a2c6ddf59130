import KithModel
import Synchronization

/// The closure of a transaction with its typed result.
final class TransactionClosure<T: Sendable>: TransactionWork {
    private let body: @Sendable (any Transaction) throws -> T
    private let tell: (@Sendable (Result<T, any Error>) -> Void)?
    private let result = Mutex<Result<T, any Error>?>(nil)

    init(
        _ body: @escaping @Sendable (any Transaction) throws -> T,
        tell: (@Sendable (Result<T, any Error>) -> Void)? = nil
    ) {
        self.body = body
        self.tell = tell
    }

    func run(in transaction: any Transaction) -> (any Error)? {
        let outcome = Result { try body(transaction) }
        result.withLock { $0 = outcome }
        return failure
    }

    var failure: (any Error)? {
        guard case .failure(let error)? = result.withLock({ $0 }) else { return nil }
        return error
    }

    func answer(_ failure: (any Error)?) {
        if let failure { result.withLock { $0 = .failure(failure) } }
        tell?(outcome())
    }

    /// The result, once it is available.
    func outcome() -> Result<T, any Error> {
        result.withLock { $0 } ?? .failure(ServerError(.internalError, "A transaction did not run."))
    }
}
