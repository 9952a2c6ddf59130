import KithModel

/// Keeps the live stream open. The stream reports presence, and feeds that others have changed.
struct LiveConnection: Sendable {
    let replica: Replica
    let credentials: any CredentialStore
    let server: CheckedServer
    let listener: any LiveListener
    /// The pauses before the stream is opened again.
    let pauses: RetryPauses
    /// Called when the list of the account's sessions may have changed.
    let sessionsChanged: @Sendable () -> Void

    /// How a stream has ended.
    private struct End {
        /// Whether the server had opened it.
        var wasOpen = false
        /// nil if the server has ended it.
        var failure: (any Error)?
    }

    /// Opens the stream, and reopens it whenever it ends, until the task is cancelled or the session has ended.
    ///
    /// - Parameter inbox: Receives the events for ``SyncMachine``.
    func listen(_ inbox: EventInbox<SyncMachine.Event>) async {
        var schedule = RetrySchedule()
        while !Task.isCancelled {
            var end = End()
            do {
                guard let session = try await session() else { return }
                end = await read(session, into: inbox)
            } catch {
                end.failure = error
            }
            inbox.put(.live(false))
            if end.wasOpen { schedule.succeed() }
            await pause(after: end.failure, by: &schedule)
        }
    }

    /// The session for a stream; nil if the session has ended, or there is no server.
    private func session() async throws -> CurrentSession? {
        let account = try await replica.read { $0.account }
        guard let connection = server.connection, let id = account.id else { return nil }
        guard let token = try credentials.token(for: id) else {
            guard account.state.isSignedIn else { return nil }
            // Another client may save it.
            throw KithError.noToken(of: account)
        }
        return CurrentSession(connection: connection.with(token: token), account: account, id: id)
    }

    /// Opens the stream, and reads it until it ends.
    private func read(_ session: CurrentSession, into inbox: EventInbox<SyncMachine.Event>) async -> End {
        let device = session.account.device
        var end = End()
        do {
            let shown = listener.wantedPresence
            try await server.checkServer(of: session.account)
            for try await event in session.connection.live(device: device, as: shown) {
                switch LiveEventName(rawValue: event.name) {
                case .hello:
                    end.wasOpen = true
                    replica.dependencies.log.streamOpened()
                    inbox.put(.live(true))
                    listener.begin(as: shown, on: device)
                    // It may have changed while there was no stream.
                    sessionsChanged()
                case .presence: await listener.hear(event, on: device)
                case .moved: inbox.put(.moved)
                case .sessions: sessionsChanged()
                case nil: break
                }
            }
        } catch {
            end.failure = error
            if (error as? KithError)?.code == .offline { server.forget() }
        }
        await listener.end(on: device)
        return end
    }

    /// Pauses before the stream is opened again.
    private func pause(after failure: (any Error)?, by schedule: inout RetrySchedule) async {
        var random = replica.dependencies.random
        let now = replica.dependencies.now()
        let asked = (failure as? KithError)?.retryAfter ?? .zero
        schedule.fail(at: now, retryAfter: max(asked, .seconds(1)), using: &random)
        let pause = (schedule.retryAt ?? now) - now
        replica.dependencies.log.streamEnded(failure, pause: pause)
        try? await pauses.pause(for: pause, after: failure)
    }
}
