/// Tells the sender of an invitation or a share that its message has failed.
package struct FailureReports: Sendable {
    /// Tells nobody.
    package static let none = FailureReports(signals: .none) { _, _ in nil }

    private let signals: SignalSender
    private let note: @Sendable (FailedMessage, any Transaction) throws -> Signals?

    /// - Parameters:
    ///   - signals: Sends the signals of the commits.
    ///   - note: Called in the transaction in which a message fails. It returns the signals for others; nil if nobody waits
    ///     for the message.
    package init(
        signals: SignalSender, _ note: @escaping @Sendable (FailedMessage, any Transaction) throws -> Signals?
    ) {
        (self.signals, self.note) = (signals, note)
    }

    /// Runs `body` in a write transaction, and reports in it the message that has failed.
    ///
    /// - Parameters:
    ///   - database: The database of the messages.
    ///   - body: Returns its result, and the message that has failed; nil if none has.
    /// - Throws: What `body` and the report throw, or an error of the database.
    /// - Returns: The result of `body`.
    func commit<Value: Sendable>(
        in database: any Database, _ body: @escaping @Sendable (any Transaction) throws -> (Value, FailedMessage?)
    ) async throws -> Value {
        try await signals.commit(in: database) { [note] transaction in
            let (value, failed) = try body(transaction)
            return Committed(value, signals: try failed.flatMap { try note($0, transaction) } ?? Signals())
        }
    }
}
