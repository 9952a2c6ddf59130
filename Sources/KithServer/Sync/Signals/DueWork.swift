import KithModel
import Synchronization

/// The work of a background job: steps that are due, each done in a transaction of its own.
///
/// A step that fails waits, so that it does not hold up the others. What is next at that moment can be another step, because
/// other nodes work on the same. So a step says what it is about before anything in it can fail, and just that waits.
package struct DueWork<Subject: Sendable>: Sendable {
    /// The topics that concern only this job. A step does not signal them, because the job goes on anyway.
    let own: Set<Signals.Topic>
    /// Whether a step is due.
    let isWaiting: @Sendable (any Transaction) throws -> Bool
    /// Does the next step, and returns the signals to send. It passes its subject to `note` first.
    let step: @Sendable (_ transaction: any Transaction, _ note: (Subject) -> Void) throws -> Signals
    /// Lets the step about a subject wait, if it is still due.
    let postpone: @Sendable (Subject, any Transaction) throws -> Void

    /// Work that consists of these functions.
    package init(
        own: Set<Signals.Topic>,
        isWaiting: @escaping @Sendable (any Transaction) throws -> Bool,
        step: @escaping @Sendable (_ transaction: any Transaction, _ note: (Subject) -> Void) throws -> Signals,
        postpone: @escaping @Sendable (Subject, any Transaction) throws -> Void
    ) {
        (self.own, self.isWaiting, self.step, self.postpone) = (own, isWaiting, step, postpone)
    }

    /// Does everything that is due.
    ///
    /// - Parameters:
    ///   - database: The database, which commits each step.
    ///   - signals: Sends the signals of each commit.
    ///   - wake: Wakes the jobs to which a step may have given work. Called after each commit.
    /// - Throws: The last error, after everything else was done. ``ServerError`` with the code `busy` at once,
    ///   unless a damaged record is its cause.
    package func finish(
        in database: any Database, _ signals: SignalSender, afterEach wake: @Sendable () -> Void
    ) async throws {
        var failure: ServerError?
        while try await database.read({ try isWaiting($0) }) {
            let taken = Mutex<Subject?>(nil)
            do {
                try await signals.commit(in: database) { transaction in
                    // A database that meets another writer runs this again, and then something else can be next.
                    taken.withLock { $0 = nil }
                    let signals = try next(in: transaction) { subject in taken.withLock { $0 = subject } }
                    return Committed((), signals: signals)
                }
                wake()
            } catch let error as ServerError where error.code != .busy || error.isDamage {
                failure = error
                guard let subject = taken.withLock({ $0 }) else { break }
                try await database.write { try postpone(subject, $0) }
            }
        }
        if let failure { throw failure }
    }

    /// Does everything that is due on the caller's thread, for tests.
    ///
    /// - Returns: The signals of its commits.
    package func finishNow(in database: any ImmediateDatabase) throws -> Signals {
        var signals = Signals()
        while try database.readNow({ try isWaiting($0) }) {
            signals.formUnion(try database.writeNow { try next(in: $0) { _ in } })
        }
        return signals
    }

    /// Does the next step.
    private func next(in transaction: any Transaction, _ note: (Subject) -> Void) throws -> Signals {
        var signals = try step(transaction, note)
        signals.topics.subtract(own)
        return signals
    }
}
