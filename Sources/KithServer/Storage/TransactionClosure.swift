import KithModel
import Synchronization

/// The closure of a transaction, and the read that follows a write on the same connection.
///
/// Whoever waits has the results, in variables of the closures. A generic class would keep them here, but Swift looks up each
/// type that a generic method uses, whenever it runs. That took longer than many a query. So the functions that make these
/// closures are inlined: then the types of the results are known where the code is compiled.
package final class TransactionClosure: TransactionWork {
    /// The type of the closure's result, by which tests recognise a transaction.
    package let result: Any.Type
    private let body: @Sendable (any Transaction) throws -> Void
    private let read: (@Sendable (any Transaction) -> Void)?

    private init(
        _ result: Any.Type, _ body: @escaping @Sendable (any Transaction) throws -> Void,
        thenRead read: (@Sendable (any Transaction) -> Void)? = nil
    ) {
        (self.result, self.body, self.read) = (result, body, read)
    }

    package func run(in transaction: any Transaction) throws { try body(transaction) }

    package func follow(in transaction: any Transaction) { read?(transaction) }

    /// Lets `perform` run `body` in a transaction.
    ///
    /// - Returns: What the last run of `body` has returned.
    @inline(__always)
    static func result<Value: Sendable>(
        of body: @escaping @Sendable (any Transaction) throws -> Value,
        _ perform: (TransactionClosure) async throws -> Void
    ) async throws -> Value {
        let value = Mutex<Value?>(nil)
        try await perform(
            TransactionClosure(Value.self) { transaction in
                let result = try body(transaction)
                value.withLock { $0 = result }
            })
        guard let result = value.withLock({ $0.take() }) else { throw ServerError.didNotRun }
        return result
    }

    /// ``result(of:_:)`` for a transaction on the caller's thread.
    static func resultNow<Value: Sendable>(
        of body: @escaping @Sendable (any Transaction) throws -> Value,
        _ perform: (TransactionClosure) throws -> Void
    ) throws -> Value {
        let value = Mutex<Value?>(nil)
        try perform(
            TransactionClosure(Value.self) { transaction in
                let result = try body(transaction)
                value.withLock { $0 = result }
            })
        guard let result = value.withLock({ $0.take() }) else { throw ServerError.didNotRun }
        return result
    }

    /// Lets `perform` run `body` in a transaction, and then `read` with its result.
    ///
    /// The read has no result if it fails or does not run. In PostgreSQL, it does not run after a write that shares its
    /// transaction with others. The write stands in both cases, so whoever waits can read on another connection.
    ///
    /// - Returns: What the last run of `body` has returned, and what the read after it has returned.
    @inline(__always)
    static func results<Written: Sendable, Value: Sendable>(
        of body: @escaping @Sendable (any Transaction) throws -> Written,
        thenRead read: @escaping @Sendable (Written, any Transaction) throws -> Value,
        _ perform: (TransactionClosure) async throws -> Void
    ) async throws -> (written: Written, read: Value?) {
        let written = Mutex<Written?>(nil)
        let value = Mutex<Value?>(nil)
        try await perform(
            TransactionClosure(Written.self) { transaction in
                value.withLock { $0 = nil }
                let result = try body(transaction)
                written.withLock { $0 = result }
            } thenRead: { transaction in
                guard let result = written.withLock({ $0 }) else { return }
                let found = try? read(result, transaction)
                value.withLock { $0 = found }
            })
        guard let result = written.withLock({ $0.take() }) else { throw ServerError.didNotRun }
        return (result, value.withLock { $0.take() })
    }
}

extension ServerError {
    fileprivate static var didNotRun: ServerError { ServerError(.internalError, "A transaction did not run.") }
}
