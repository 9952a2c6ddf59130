/// A part of a client that runs its own work while the client runs.
package protocol RunningPart: Sendable {
    /// Runs until the calling task is cancelled.
    func run() async
}
