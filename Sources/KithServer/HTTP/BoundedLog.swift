import Logging

/// Limits each line of a log to ``most`` bytes.
struct BoundedLog: LogHandler {
    /// The maximum bytes of a line, including the additions of a handler, such as the time.
    static let most = 2_048
    private static let message = 512
    private static let details = 1_280

    private var inner: any LogHandler

    init(_ inner: any LogHandler) { self.inner = inner }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Self.clip(event.message.description, to: Self.message))"
        var left = Self.details
        // Short values first, so that a long value cannot displace an id.
        let all = (event.metadata ?? [:]).map { ($0.key, $0.value.description) }
            .sorted { ($0.1.utf8.count, $0.0) < ($1.1.utf8.count, $1.0) }
        var kept: Logger.Metadata = [:]
        for (key, text) in all where left > key.utf8.count {
            left -= key.utf8.count + 4
            let text = Self.clip(text, to: max(0, left))
            left -= text.utf8.count
            kept[key] = .string(text)
        }
        if event.metadata != nil { event.metadata = kept }
        inner.log(event: event)
    }

    /// The text in one line of at most `bytes` bytes.
    static func clip(_ text: String, to bytes: Int) -> String {
        let line = text.contains(where: \.isNewline) ? String(text.map { $0.isNewline ? " " : $0 }) : text
        guard line.utf8.count > bytes else { return line }
        return String(decoding: line.utf8.prefix(max(0, bytes - 3)), as: UTF8.self) + "…"
    }
}

extension Logger {
    /// The logger, with limited lines.
    var bounded: Logger {
        var logger = self
        logger.handler = BoundedLog(handler)
        return logger
    }
}
