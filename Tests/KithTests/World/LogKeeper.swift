import Logging
import Synchronization

/// Keeps every line of a log, for a test to read.
final class LogKeeper: Sendable {
    private let kept = Mutex<[String]>([])

    /// Each line: its level, its message, and its metadata in the order of their keys.
    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(keeper: self) } }

    /// Whether there is a line that begins like this.
    func has(_ start: String) -> Bool { lines.contains { $0.hasPrefix(start) } }

    private struct Handler: LogHandler {
        let keeper: LogKeeper
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).map { " \($0)=\($1)" }.sorted().joined()
            keeper.kept.withLock { $0.append("\(event.level) \(event.message)\(details)") }
        }
    }
}
