import KithModel

/// Keeps the live stream open. The stream reports presence, and feeds that others have changed.
struct LiveConnection: Sendable {
    let replica: Replica
    let credentials: any CredentialStore
    let server: CheckedServer
    let listener: any LiveListener
    /// The pauses before the stream is opened again.
    let pauses: RetryPauses

    /// Opens the stream, and reopens it whenever it ends, until the task is cancelled or the session has ended.
    ///
    /// - Parameters:
    ///   - inbox: Receives the events for ``SyncMachine``.
    ///   - sessionsChanged: Called when the list of the account's sessions has changed.
    func listen(_ inbox: EventInbox<SyncMachine.Event>, sessionsChanged: @Sendable () -> Void) async {
        var schedule = RetrySchedule()
        while !Task.isCancelled {
            var failure: (any Error)?
            var device: DeviceID?
            do {
                let account = try await replica.read { $1 }
                guard let connection = server.connection, let id = account.id else { return }
                guard let token = try credentials.token(for: id) else {
                    guard account.state.isSignedIn else { return }
                    // Another client may save it.
                    throw KithError.noToken(of: account)
                }
                device = account.device
                let shown = listener.wantedPresence
                try await server.checkServer(of: account)
                for try await event in connection.live(device: account.device, as: shown, token: token) {
                    switch LiveEventName(rawValue: event.name) {
                    case .hello:
                        schedule.succeed()
                        replica.dependencies.log.streamOpened()
                        inbox.put(.live(true))
                        listener.begin(as: shown, on: account.device)
                    case .presence: await listener.hear(event, on: account.device)
                    case .moved: inbox.put(.moved)
                    case .sessions: sessionsChanged()
                    case nil: break
                    }
                }
            } catch {
                failure = error
                if (error as? KithError)?.code == .offline { server.forget() }
            }
            if let device { await listener.end(on: device) }
            inbox.put(.live(false))
            var random = replica.dependencies.random
            let now = replica.dependencies.now()
            let asked = (failure as? KithError)?.retryAfter ?? .zero
            schedule.fail(at: now, retryAfter: max(asked, .seconds(1)), using: &random)
            let pause = (schedule.retryAt ?? now) - now
            replica.dependencies.log.streamEnded(failure, pause: pause)
            try? await pauses.pause(for: pause, after: failure)
        }
    }
}
