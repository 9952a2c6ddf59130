import KithServer

/// The power was cut.
struct Crash: Error {
    /// Where the next commit breaks off.
    enum Point: Sendable { case none, beforeCommit, afterCommit }

    /// Whether an error says that a server's power was cut.
    static func isCause(of error: any Error) -> Bool {
        error is Crash || (error as? ServerError)?.cause is Crash
    }
}
