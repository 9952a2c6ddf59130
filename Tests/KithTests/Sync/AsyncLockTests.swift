import Kith
import Testing

@Suite("An asynchronous lock", .timeLimit(.minutes(5))) struct AsyncLockTests {
    @Test("A caller that is cancelled while waiting does nothing, and the next callers get the lock") func cancelled()
        async throws
    {
        let lock = AsyncLock()
        let (isIn, isFree) = (Switch(), Switch())
        let done = Kept<[Int]>([])
        let first = Task {
            try await lock.withLock {
                isIn.isOn = true
                try await until { isFree.isOn }
            }
        }
        try await until { isIn.isOn }
        let waiting = Task { try await lock.withLock { done.change { $0.append(1) } } }
        waiting.cancel()
        let last = Task { try await lock.withLock { done.change { $0.append(2) } } }
        isFree.isOn = true
        try await first.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await last.value
        #expect(done.value == [2])
    }
}
