extension AsyncStream where Element: Sendable {
    /// A stream of what a task yields. It ends with the task, and the task is cancelled when nobody listens any more.
    package init(
        keeping policy: Continuation.BufferingPolicy, _ work: @escaping @Sendable (Continuation) async -> Void
    ) {
        self.init(bufferingPolicy: policy) { continuation in
            let task = Task {
                await work(continuation)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
