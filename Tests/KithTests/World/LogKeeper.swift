import InMemoryLogging
import Logging

/// Keeps every line of a log, for a test to read.
struct LogKeeper: Sendable {
    private let handler = InMemoryLogHandler()

    /// Each line: its level, its message, and its metadata in the order of their keys.
    var lines: [String] {
        handler.entries.map { entry in
            "\(entry.level) \(entry.message)" + entry.metadata.map { " \($0)=\($1)" }.sorted().joined()
        }
    }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        return logger
    }

    /// Whether there is a line that begins like this.
    func has(_ start: String) -> Bool { lines.contains { $0.hasPrefix(start) } }
}
