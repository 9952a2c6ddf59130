import KithModel
import Synchronization

/// A write with a typed result.
final class Write<T: Sendable>: TransactionWork {
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
        let outcome = Result { try body(transaction) }.mapError { ServerError.translated($0) }
        result.withLock { $0 = outcome }
        guard case .failure(let error) = outcome else { return nil }
        return error
    }

    func answer(_ failure: (any Error)?) {
        if let failure {
            result.withLock { result in
                // A write that failed by itself reports its own error; the others report the error of the commit.
                if case .failure = result { return }
                result = .failure(failure)
            }
        }
        tell?(outcome())
    }

    /// The result of the write, once it is available.
    func outcome() -> Result<T, any Error> {
        result.withLock { $0 } ?? .failure(ServerError(.internalError, "A write was left out of its commit."))
    }
}
