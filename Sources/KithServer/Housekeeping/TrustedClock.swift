package import KithModel
package import Logging
import Synchronization

/// Decides whether what has expired by the server's clock can be deleted, and what is held can be decided. A shell around
/// ``ClockWatch``.
package final class TrustedClock: Sendable {
    private let clock: ServerClock
    private let database: any Database
    private let logger: Logger
    private let watch = Mutex(ClockWatch())

    /// - Parameters:
    ///   - clock: The server's clock.
    ///   - database: The database, which stores when a server has last trusted its clock.
    ///   - logger: The logger of the server.
    package init(_ clock: ServerClock, _ database: any Database, _ logger: Logger) {
        (self.clock, self.database, self.logger) = (clock, database, logger)
    }

    /// Compares what the clock shows with its own past and with that of the database. Once an hour, it stores a time that
    /// is trusted. It reports once that the clock has begun to be ahead.
    ///
    /// - Parameter now: What the clock shows.
    /// - Returns: Whether that time is trusted, so that what has expired by then can be deleted.
    /// - Throws: ``ServerError`` if the database fails.
    package func check(_ now: Timestamp) async throws -> Bool {
        let stored = try await database.read { try Meta.value(Meta.clockName, in: $0) }
        let last = stored.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        switch watch.withLock({ $0.judge(now, at: clock.uptime(), last: last) }) {
        case .trusted:
            // Not at each check: a write an hour is enough to notice a jump of days.
            if let last, last <= now, now - last < .minutes(60) { return true }
            try await database.write { try Meta.set(Meta.clockName, to: String(now.milliseconds), in: $0) }
            return true
        case .ahead(let lead, isNew: let isNew):
            guard isNew else { return false }
            logger.warning(
                """
                The clock is days later than expected. Unless the server was stopped so long, the clock is wrong. For an \
                hour, nothing that has expired is deleted, and no held reward is decided.
                """, metadata: ["days": "\(Int(lead / .days(1)))"])
            return false
        }
    }
}
