import KithModel
import Synchronization

/// The live stream. It reports feeds that others have changed, and presence.
extension SyncEngine {
    func keep(
        _ live: inout (device: DeviceID, task: Task<Void, Never>)?, wanted: Bool,
        _ inbox: AsyncStream<SyncMachine.Event>.Continuation
    ) async {
        let account = try? await replica.read { $1 }
        let wanted = wanted && (account?.state.isSignedIn ?? false) ? account?.device : nil
        guard wanted != live?.device else { return }
        // A stream belongs to one account's device: another account needs another stream.
        live?.task.cancel()
        if let live { await endPresence(on: live.device) }
        live = wanted.map { device in (device, Task { await listen(inbox) }) }
    }

    private func listen(_ inbox: AsyncStream<SyncMachine.Event>.Continuation) async {
        var pause = RetrySchedule()
        while !Task.isCancelled {
            var asked: Duration?
            var device: DeviceID?
            do {
                let account = try await replica.read { $1 }
                guard let connection, let id = account.id, let token = try credentials.token(for: id) else { return }
                device = account.device
                let shown = wantedPresence
                try await findHome(of: account)
                for try await event in connection.live(device: account.device, as: shown, token: token) {
                    switch event.name {
                    case "hello":
                        pause.succeed()
                        inbox.yield(.live(true))
                        beginPresence(as: shown, on: account.device)
                    case "presence": await hear(event, on: account.device)
                    case "moved": inbox.yield(.moved)
                    // A newer server may send other events.
                    default: break
                    }
                }
            } catch {
                asked = (error as? KithError)?.retryAfter
                if (error as? KithError)?.code == .offline { state.withLock { $0.answering = nil } }
            }
            if let device { await endPresence(on: device) }
            inbox.yield(.live(false))
            var random = replica.dependencies.random
            let now = replica.dependencies.now()
            pause.fail(at: now, retryAfter: max(asked ?? .zero, .seconds(1)), using: &random)
            try? await replica.dependencies.pause((pause.retryAt ?? now) - now)
        }
    }
}
