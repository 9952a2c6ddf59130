import Synchronization

/// Sends the signals of commits.
package struct SignalSender: Sendable {
    private let body: @Sendable (Signals, AccountDevice?) async -> Void

    /// A sender that calls `body`.
    package init(_ body: @escaping @Sendable (Signals, AccountDevice?) async -> Void) {
        self.body = body
    }

    /// Sends nothing: the server polls for what `kith admin` writes.
    package static let none = SignalSender { _, _ in }

    /// Runs `body` in a write transaction, then sends the signals of the commit.
    ///
    /// If the outcome of the commit is unknown, they are sent too: otherwise nobody would hear of a change that was made, such
    /// as the end of a session. A signal without a change does no harm.
    ///
    /// - Throws: What `body` throws, or what ``Database/write(inTurn:_:)`` throws. Nothing is sent if nothing was changed.
    package func commit<Value: Sendable>(
        in database: any Database, _ body: @escaping @Sendable (any Transaction) throws -> Committed<Value>
    ) async throws -> Value {
        let last = Mutex(Signals())
        do {
            let committed = try await database.write { transaction -> Committed<Value> in
                let committed = try body(transaction)
                last.withLock { $0 = committed.signals }
                return committed
            }
            await send(committed.signals)
            return committed.value
        } catch let error as ServerError where error.cause is UnknownOutcome {
            await send(last.withLock { $0 })
            throw error
        }
    }

    /// Sends `signals`, unless there are none. Call it after the commit.
    ///
    /// - Parameters:
    ///   - signals: The signals for others.
    ///   - device: The device that caused the change; it is not notified of the feeds.
    package func send(_ signals: Signals, by device: AccountDevice? = nil) async {
        if signals != Signals() { await body(signals, device) }
    }
}
