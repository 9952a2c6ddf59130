import Kith
import KithServer

/// A simulated power failure.
struct Crash: Error {
    /// Where the next commit is interrupted.
    enum Point: Sendable { case none, beforeCommit, afterCommit }

    /// The faults that interrupt the next commit of a replica where `point` says.
    static func faults(_ point: Shared<Point>) -> Replica.Faults {
        var faults = Replica.Faults()
        faults.beforeCommit = { if point.now == .beforeCommit { throw Crash() } }
        faults.afterCommit = { if point.now == .afterCommit { throw Crash() } }
        return faults
    }

    /// Whether an error was caused by a power failure of a server.
    static func isCause(of error: any Error) -> Bool {
        error is Crash || (error as? ServerError)?.cause is Crash
    }
}
