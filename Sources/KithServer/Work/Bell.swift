/// Wakes whoever waits for work. If it rings several times before the listener looks, it has rung once.
struct Bell: Sendable {
    /// Receives an element when the bell has rung. There is one listener.
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func ring() { continuation.yield() }

    /// Ends the stream.
    func finish() { continuation.finish() }
}
