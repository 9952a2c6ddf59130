package import KithModel

/// Does the work of the background job of sharing: sends emails, finds out which friends somebody has brought, and gives rewards.
///
/// Edits of the records do everything else: see ``ShareableRules``, ``ShareRules``, ``ClaimRules`` and ``EventRules``.
package struct SharingService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let dependencies: SharingDependencies
    private let isTrusted: @Sendable (Timestamp) async throws -> Bool

    /// How long something waits that cannot be processed.
    static let pause = Duration.seconds(3_600)

    /// A service over `database`, which sends the signals of its commits.
    ///
    /// `isTrusted` decides whether a time of the server's clock is trusted. If it is not, held referrals wait, because their
    /// decision is final.
    package init(
        database: any Database, signals: SignalSender, dependencies: SharingDependencies,
        isTrusted: @escaping @Sendable (Timestamp) async throws -> Bool = { _ in true }
    ) {
        (self.database, self.signals, self.dependencies) = (database, signals, dependencies)
        self.isTrusted = isTrusted
    }

    /// Does everything that is due. Something that cannot be processed waits, so that it does not hold up the rest.
    ///
    /// - Parameter now: The server's time. Each step asks for it, because it may carry out an order that was given after the
    ///   first one.
    /// - Throws: The last error, after everything else was done. ``ServerError`` with the code `busy` at once,
    ///   unless a damaged record is its cause.
    package func work(at now: @autoclosure @escaping @Sendable () -> Timestamp) async throws {
        let start = now()
        let trusted = try await isTrusted(start) ? start : nil
        try await Self.dueWork(dependencies, at: now, trusted: trusted).finish(in: database, signals) {
            dependencies.messages.wake()
            dependencies.wakeWebhooks()
        }
    }

    /// ``work(at:)`` without waiting, for tests.
    ///
    /// - Returns: The signals of its commits.
    @discardableResult
    package static func workNow(
        _ dependencies: SharingDependencies, at now: Timestamp, on database: any ImmediateDatabase
    ) throws -> Signals {
        try dueWork(dependencies, at: { now }, trusted: now).finishNow(in: database)
    }

    private static func dueWork(
        _ dependencies: SharingDependencies, at now: @escaping @Sendable () -> Timestamp, trusted: Timestamp?
    ) -> DueWork<SharingSubject> {
        DueWork(
            own: [.sharing],
            isWaiting: { try SharingStep.isWaiting(at: now(), trusted: trusted, in: $0) },
            step: { transaction, note in
                try SharingWork(transaction: transaction, now: now(), trusted: trusted, dependencies: dependencies)
                    .take(note)
            },
            postpone: { subject, transaction in try subject.postpone(at: now(), in: transaction) })
    }

    /// Writes into a share that its email did not reach its recipient. Call it in the transaction in which the message
    /// fails.
    ///
    /// - Returns: The signals to send after the commit; nil if the message was no share.
    package static func noteFailure(
        _ message: FailedMessage, _ dependencies: SharingDependencies, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Signals? {
        try SharingWork(transaction: transaction, now: now, dependencies: dependencies).fail(message)
    }

    /// ``noteFailure(_:_:at:in:)`` in another process than the server: makes the server's background job do it, which then
    /// tells the devices.
    package static func scheduleFailure(
        _ message: FailedMessage, at now: Timestamp, in transaction: any Transaction
    ) throws {
        guard let row = try ShareRow.find(message: message.id, in: transaction) else { return }
        try SharingOrder.give(.failure, about: [row.place], due: WorkTurn.ofServer(at: now), in: transaction)
    }
}
