import KithServer

/// A simulated power failure.
struct Crash: Error {
    /// Where the next commit is interrupted.
    enum Point: Sendable { case none, beforeCommit, afterCommit }

    /// Whether an error was caused by a power failure of a server.
    static func isCause(of error: any Error) -> Bool {
        error is Crash || (error as? ServerError)?.cause is Crash
    }
}
