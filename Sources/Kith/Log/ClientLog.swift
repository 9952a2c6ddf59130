import KithModel
package import Logging

/// What the SDK logs.
///
/// Every line is in this file, so that one can check that none has personal data: no name, email, number, code, token,
/// title or address, and no id of an account or a record. An error is logged by its code, because its sentence may quote
/// what somebody has typed.
package struct ClientLog: Sendable {
    /// Logs nothing.
    package static let silent = ClientLog(Logger(label: "kith") { _ in SwiftLogNoOpLogHandler() })

    private let logger: Logger

    /// Logs to this logger.
    package init(_ logger: Logger) { self.logger = logger }

    // MARK: The replica

    /// The replica was opened.
    ///
    /// - Parameters:
    ///   - migrations: The migrations that were applied now. Their names are constants of the SDK.
    ///   - isNew: Whether the replica is a new one.
    ///   - isSalvaged: Whether it replaces a damaged one.
    func opened(migrations: [String], isNew: Bool, isSalvaged: Bool) {
        if isSalvaged {
            logger.warning("The replica was damaged. It is kept aside, and a new one is filled from the server.")
        } else if isNew {
            logger.debug("A new replica is open.", metadata: ["migrations": "\(migrations.count)"])
        } else if migrations.isEmpty {
            logger.debug("The replica is open.")
        } else {
            logger.info("The replica was migrated.", metadata: ["migrations": Self.list(migrations)])
        }
    }

    // MARK: The session

    /// The session of the current store has another state, or another store is the current one. Stores are named by their
    /// local numbers.
    func changed(_ change: SessionChange) {
        var metadata: Logger.Metadata = [
            "from": "\(change.before.state.rawValue)", "to": "\(change.after.state.rawValue)",
        ]
        if change.isDropped { metadata["dropped"] = "true" }
        guard change.before.store != change.after.store else {
            // Otherwise, the account is another one.
            guard change.before.state != change.after.state || change.isDropped else { return }
            return logger.info("The state of the session has changed.", metadata: metadata)
        }
        metadata["storeBefore"] = "\(change.before.store.number)"
        metadata["store"] = "\(change.after.store.number)"
        logger.info("Another store is current.", metadata: metadata)
    }

    /// An effect of a session is carried out at `now`.
    func carriesOut(_ effect: SessionMachine.Effect, at now: Timestamp) {
        switch effect {
        case .openSession: logger.notice("The server refuses the anonymous session. A new one replaces it.")
        case .deleteToken: logger.info("A token is deleted, because the server will never accept it again.")
        case .askToSignIn: logger.notice("The server refuses the session. The user has to sign in again.")
        case .retry(let time):
            logger.info("The next attempt is made later.", metadata: ["ms": Self.milliseconds(time - now)])
        }
    }

    /// Commands that waited for a session have ended with the code `reset`.
    func reset(commands: Int) {
        if commands > 0 {
            logger.info("Commands that waited for the session were reset.", metadata: ["commands": "\(commands)"])
        }
    }

    // MARK: Rounds

    /// An answer was applied.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: The answer.
    ///   - isLast: Whether nothing is left to send or to read.
    ///   - duration: The time since the request was begun.
    func finished(_ request: SyncRequest, _ answer: SyncAnswer, isLast: Bool, after duration: Duration) {
        let refusals = answer.outcomes.filter { $0.result == .rejected }.compactMap(\.code?.rawValue)
        if !refusals.isEmpty {
            logger.notice(
                "The server has refused edits.",
                metadata: ["edits": "\(refusals.count)", "codes": Self.list(Set(refusals).sorted())])
        }
        if answer.device != .recognised {
            logger.notice(
                "The server and this device disagree about what was sent. It is sent again.",
                metadata: ["standing": "\(answer.device.rawValue)"])
        }
        logger.debug(
            "A round has ended.",
            metadata: [
                "sent": "\(request.mutations.count)", "read": "\(answer.recordCount)",
                "feeds": "\(answer.feeds.count)", "lost": "\(answer.lost.count)", "last": "\(isLast)",
                "ms": Self.milliseconds(duration),
            ])
    }

    /// A round has failed.
    func roundFailed(_ error: any Error) { failed("A round has failed.", error) }

    /// A session could not be opened.
    func openingFailed(_ error: any Error) { failed("The session could not be opened.", error) }

    /// The server could not be told of sessions that have ended on this device.
    func farewellFailed(_ error: any Error) { failed("The server could not be told that a session has ended.", error) }

    // MARK: The live stream

    /// The live stream is open.
    func streamOpened() { logger.debug("The live stream is open.") }

    /// The live stream has ended. It is opened again after `pause`.
    ///
    /// - Parameters:
    ///   - error: Why; nil if the server has ended it.
    ///   - pause: The time until the next attempt.
    func streamEnded(_ error: (any Error)?, pause: Duration) {
        var metadata: Logger.Metadata = ["ms": Self.milliseconds(pause)]
        if let error { metadata.merge(Self.details(of: error)) { $1 } }
        logger.debug("The live stream has ended.", metadata: metadata)
    }

    // MARK: Details

    /// Nobody can do anything about a missing network, so that is no warning.
    private func failed(_ message: Logger.Message, _ error: any Error) {
        let isExpected = error is CancellationError || (error as? KithError)?.code == .offline
        logger.log(level: isExpected ? .info : .warning, message, metadata: Self.details(of: error))
    }

    private static func details(of error: any Error) -> Logger.Metadata {
        if error is CancellationError { return ["code": "cancelled"] }
        guard let known = error as? KithError else { return ["code": "unknown"] }
        var details: Logger.Metadata = ["code": "\(known.code.rawValue)"]
        if let problem = known.cause as? Problem { details["problem"] = "\(problem.code.rawValue)" }
        if let wait = known.retryAfter { details["retryAfter"] = milliseconds(wait) }
        return details
    }

    private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue { "\(duration.milliseconds)" }

    private static func list(_ texts: [String]) -> Logger.MetadataValue { .string(texts.joined(separator: "; ")) }
}

extension SyncAnswer {
    /// The number of records and removals in the answer.
    fileprivate var recordCount: Int {
        feeds.reduce(0) { sum, feed in
            sum + feed.changes.count + (feed.page?.columns.reduce(0) { $0 + $1.count } ?? 0)
        }
    }
}
