/// A write that waits for its commit.
package protocol GatheredWrite: Sendable {
    /// Performs the write, stores its result, and returns the error if it failed. The last of several runs counts.
    func run(in transaction: any Transaction) -> (any Error)?
    /// Gives the writer the result, or the error of the commit if that failed.
    func answer(_ failure: (any Error)?)
}
