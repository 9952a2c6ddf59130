import Foundation
import Synchronization

/// The work of a transaction, with whoever waits for its end.
package final class AwaitedWork: Sendable {
    private let work: any TransactionWork
    private let tell: @Sendable ((any Error)?) -> Void
    private let lastFailure = Mutex<(any Error)?>(nil)

    /// - Parameters:
    ///   - work: What the transaction does.
    ///   - tell: Receives the error of the work or of the transaction; nil if it has succeeded.
    package init(_ work: any TransactionWork, tell: @escaping @Sendable ((any Error)?) -> Void) {
        (self.work, self.tell) = (work, tell)
    }

    /// Runs the work, and returns its error if it fails. The last of several runs counts.
    func run(in transaction: any Transaction) -> (any Error)? {
        var failure: (any Error)?
        do { try work.run(in: transaction) } catch { failure = error }
        lastFailure.withLock { $0 = failure }
        return failure
    }

    /// Runs the read that follows the work, unless the work has failed.
    func follow(in transaction: any Transaction) {
        if failure == nil { work.follow(in: transaction) }
    }

    /// The error of the last run; nil if it has not failed.
    var failure: (any Error)? { lastFailure.withLock { $0 } }

    /// Tells whoever waits that the transaction has ended: with its own error, with that of the last run, or well.
    func answer(_ failure: (any Error)?) { tell(failure ?? self.failure) }

    /// Lets `begin` run `work`, and returns when it has ended.
    ///
    /// - Throws: The error of the work or of the transaction.
    static func perform(_ work: any TransactionWork, _ begin: (AwaitedWork) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let awaited = AwaitedWork(work) { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
            }
            begin(awaited)
        }
    }

    /// ``perform(_:_:)`` while the caller's thread waits. One of Swift's own threads must not wait.
    static func performNow(_ work: any TransactionWork, _ begin: (AwaitedWork) -> Void) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        let awaited = AwaitedWork(work) { error in
            failure.withLock { $0 = error }
            hasEnded.signal()
        }
        begin(awaited)
        hasEnded.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
