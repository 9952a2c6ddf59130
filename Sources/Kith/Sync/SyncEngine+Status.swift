import Synchronization

/// The status, and its stream of changes.
extension SyncEngine {
    func status() async throws -> SyncStatus {
        let (isSyncing, now) = (isSyncing, replica.dependencies.now())
        var status = try await replica.read { try SyncStatus.fetch($0, $1, at: now, isSyncing: isSyncing) }
        status.otherStores = try status.otherStores.withTokens(in: credentials)
        return status
    }

    func statuses() -> AsyncStream<SyncStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let (pokes, poke) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let id = state.withLock { state in
                state.nextListener += 1
                state.statusListeners[state.nextListener] = poke
                return state.nextListener
            }
            let task = Task {
                var last: SyncStatus?
                for await _ in pokes {
                    guard let status = try? await status(), status != last else { continue }
                    last = status
                    continuation.yield(status)
                }
            }
            poke.yield()
            continuation.onTermination = { [weak self] _ in
                task.cancel()
                self?.state.withLock { $0.statusListeners[id] = nil }
            }
        }
    }
}
