package import Foundation

extension Process {
    /// Starts it. The stream gives how it ended, once it has, as a shell says it: the
    /// exit status, or 128 and the signal that ended it.
    ///
    /// - Throws: What the system says if the program cannot be started.
    package func start() throws -> AsyncStream<Int32> {
        let (ending, end) = AsyncStream.makeStream(of: Int32.self)
        terminationHandler = { ended in
            end.yield(ended.terminationReason == .exit ? ended.terminationStatus : 128 + ended.terminationStatus)
            end.finish()
        }
        try run()
        return ending
    }
}
