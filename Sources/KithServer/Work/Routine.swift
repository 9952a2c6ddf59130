import ServiceLifecycle

/// Runs an action immediately, and then at regular intervals.
struct Routine: Service {
    let every: Duration
    let clock: ServerClock
    let work: @Sendable () async -> Void

    init(every: Duration, _ clock: ServerClock, _ work: @escaping @Sendable () async -> Void) {
        self.every = every
        self.clock = clock
        self.work = work
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await work()
                try? await clock.sleep(every)
            }
        }
    }
}
