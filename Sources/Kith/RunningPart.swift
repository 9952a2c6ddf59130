/// A part of a client that works on its own while the client runs.
package protocol RunningPart: Sendable {
    /// Works until the calling task is cancelled.
    func run() async
}
