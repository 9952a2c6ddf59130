import Logging

/// An error that can be one of many with the same cause, of which the log tells once.
protocol ReportedError: Error {
    /// Whether the log tells of the cause elsewhere.
    var isReported: Bool { get }
}

extension Logger {
    /// Logs that background work has failed, which is tried again. If the log tells of the cause elsewhere, the line has the
    /// level `debug`: all jobs fail while there is no database, each of them every few seconds.
    func noteFailedWork(_ sentence: String, because error: any Error) {
        let isReported = (error as? any ReportedError)?.isReported ?? false
        log(level: isReported ? .debug : .error, "\(sentence)", metadata: ["cause": "\(error)"])
    }
}
