import Logging
import Synchronization

/// Keeps the last lines of the SDK's log, for the log view.
final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    /// The lines, oldest first.
    var lines: [String] { kept.withLock { $0 } }

    /// A logger that writes into this book.
    var logger: Logger { Logger(label: "santa") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).map { " \($0)=\($1)" }.sorted().joined()
            book.kept.withLock { $0 = Array($0.suffix(199)) + ["\(event.level) \(event.message)\(details)"] }
        }
    }
}
