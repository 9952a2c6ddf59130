package import Logging

/// Reports paused prefixes to the operator: once in the log, and in the metrics for as long as they are paused.
///
/// It reads the database, so that a pause is reported even if the server stopped in between, or another node has paused
/// the prefix.
package struct PauseWatch: Sendable {
    /// How often it reads the database.
    package static let interval = Duration.seconds(60)

    private let database: any Database
    private let metrics: SMSMetrics
    private let logger: Logger

    package init(database: any Database, metrics: SMSMetrics, logger: Logger) {
        (self.database, self.metrics, self.logger) = (database, metrics, logger)
    }

    /// Reads the database once.
    package func run() async throws {
        // Without a new pause there is nothing to write.
        let count = try await database.read { transaction in try PausedPrefix.count(in: transaction) }
        metrics.paused(count)
        guard count > 0 else { return }
        for pause in try await database.write({ transaction in try PausedPrefix.takeUnreported(in: transaction) }) {
            logger.warning(
                "The SMS prefix \(pause.prefix) is paused: of the last \(pause.judged) codes, \(pause.entered) were entered. See: kith admin sms"
            )
        }
    }
}
