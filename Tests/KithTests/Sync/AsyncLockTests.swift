import Kith
import Testing

@Suite("An asynchronous lock", .timeLimit(.minutes(15))) struct AsyncLockTests {
    /// A task that has the lock until `isFree` is on.
    private func hold(_ lock: AsyncLock, until isFree: Switch) async throws -> Task<Void, any Error> {
        let isIn = Switch()
        let task = Task {
            try await lock.withLock {
                isIn.isOn = true
                try await until { isFree.isOn }
            }
        }
        try await until { isIn.isOn }
        return task
    }

    @Test("A caller that is cancelled while waiting does nothing, and the next callers get the lock") func cancelled()
        async throws
    {
        let lock = AsyncLock()
        let done = Kept<[Int]>([])
        let isFree = Switch()
        let first = try await hold(lock, until: isFree)
        let waiting = Task { try await lock.withLock { done.change { $0.append(1) } } }
        waiting.cancel()
        let last = Task { try await lock.withLock { done.change { $0.append(2) } } }
        isFree.isOn = true
        try await first.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await last.value
        #expect(done.value == [2])
    }

    @Test("Trap: A caller is cancelled while another works – it ends at once, and not when the other is done")
    func endsAtOnce() async throws {
        let lock = AsyncLock()
        let done = Kept<[Int]>([])
        let isFree = Switch()
        let first = try await hold(lock, until: isFree)
        let waiting = (1...3).map { number in
            Task { try await lock.withLock { done.change { $0.append(number) } } }
        }
        waiting[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        #expect(done.value.isEmpty)
        isFree.isOn = true
        try await first.value
        try await waiting[0].value
        try await waiting[2].value
        #expect(done.value.sorted() == [1, 3])
    }

    @Test("A caller that was cancelled before it comes does nothing, whether the lock is free or not") func before()
        async throws
    {
        let lock = AsyncLock()
        let hasEnded = Switch()
        let done = Kept(0)
        func enterCancelled() async throws {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await lock.withLock { done.change { $0 += 1 } }
            }
            task.cancel()
            try await task.value
        }
        await #expect(throws: CancellationError.self) { try await enterCancelled() }
        try await lock.withLock {
            await #expect(throws: CancellationError.self) { try await enterCancelled() }
            hasEnded.isOn = true
        }
        #expect(hasEnded.isOn)
        #expect(done.value == 0)
    }
}
