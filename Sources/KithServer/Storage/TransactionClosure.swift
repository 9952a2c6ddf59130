import KithModel
import Synchronization

/// The closure of a transaction, with its result.
package final class TransactionClosure<Value: Sendable>: TransactionWork {
    private let body: @Sendable (any Transaction) throws -> Value
    private let value = Mutex<Value?>(nil)

    package init(_ body: @escaping @Sendable (any Transaction) throws -> Value) { self.body = body }

    package func run(in transaction: any Transaction) throws {
        let value = try body(transaction)
        self.value.withLock { $0 = value }
    }

    /// The result of the last run, when the transaction has ended.
    package func result() throws -> Value {
        guard let value = value.withLock({ $0 }) else {
            throw ServerError(.internalError, "A transaction did not run.")
        }
        return value
    }
}
