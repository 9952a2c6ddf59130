import KithModel
package import Logging

/// Tells the operator of paused prefixes: in the log once, in the metrics for as long as they are paused.
///
/// It reads the database, so that a pause is told even if the server died in between, or another node has decided it.
package struct PauseWatch: Sendable {
    /// How often it looks.
    package static let interval = Duration.seconds(60)

    private let database: any Database
    private let metrics: SMSMetrics
    private let logger: Logger

    package init(database: any Database, metrics: SMSMetrics, logger: Logger) {
        (self.database, self.metrics, self.logger) = (database, metrics, logger)
    }

    /// Looks once.
    package func run() async throws {
        // Without a new pause there is nothing to write.
        let count = try await database.read { transaction in try PausedPrefix.count(in: transaction) }
        metrics.paused(count)
        guard count > 0 else { return }
        for pause in try await database.write({ transaction in try PausedPrefix.tell(in: transaction) }) {
            logger.warning(
                "The SMS prefix \(pause.prefix) is paused: of the last \(pause.judged) codes, \(pause.entered) were entered. See: kith admin sms"
            )
        }
    }
}
