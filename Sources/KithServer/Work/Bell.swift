/// Wakes a task that waits for work. If it rings several times while the task is busy, the task looks once more.
package struct Bell: Sendable {
    /// Receives an element when the bell has rung. One task iterates it.
    package let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func ring() { continuation.yield() }

    /// Ends the stream, and so the loop of the task.
    package func finish() { continuation.finish() }
}
