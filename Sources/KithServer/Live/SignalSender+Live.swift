import KithModel

extension SignalSender {
    /// Sends to the open live streams, and wakes the job that propagates changed profiles and the other jobs.
    init(
        _ hub: LiveHub, database: any Database, wakeFanout: @escaping @Sendable () -> Void,
        wakeJobs: @escaping @Sendable () -> Void = {}
    ) {
        self.init { signals, device in
            hub.moved(signals.moved, by: device)
            for account in signals.changedSessions { hub.sessionsChanged(of: account) }
            for session in signals.closedSessions { hub.end(session: session.description) }
            for account in signals.closedAccounts { hub.end(account: account) }
            if signals.hasNewProfiles { wakeFanout() }
            if signals.hasBackgroundWork { wakeJobs() }
            await hub.readCircles(of: signals.circles, in: database)
        }
    }
}
