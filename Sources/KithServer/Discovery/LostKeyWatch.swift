package import Logging
import Synchronization

/// Reports lost keys of discovery to the operator, and says which are given up. A shell around ``LostKeys``.
package final class LostKeyWatch: Sendable {
    private let file: String
    private let clock: ServerClock
    private let logger: Logger
    private let keys = Mutex(LostKeys())

    /// - Parameters:
    ///   - file: The path of the file that has the secrets.
    ///   - clock: The server's clock.
    ///   - logger: The logger of the server.
    package init(of file: String, _ clock: ServerClock, _ logger: Logger) {
        (self.file, self.clock, self.logger) = (file, clock, logger)
    }

    /// Reports the keys that are lost now: once when they are missing, and once when they are given up.
    ///
    /// - Parameter lost: Their ids.
    /// - Returns: Those to give up.
    package func report(_ lost: Set<String>) -> Set<String> {
        let decision = keys.withLock { $0.decide(lost, at: clock.uptime()) }
        for key in decision.found {
            logger.warning(
                """
                The file of the discovery keys lacks a key. If it is the wrong file, stop the server and put the right one \
                back. In ten minutes the key is deleted, and all devices look for everybody again.
                """, metadata: ["file": "\(file)", "key": "\(key)"])
        }
        for key in decision.givenUp.sorted() {
            logger.critical(
                "A key of discovery whose secret is lost is deleted. All devices look for everybody again.",
                metadata: ["key": "\(key)"])
        }
        return decision.givenUp
    }
}
