import KithModel

extension SignalSender {
    /// Sends to the open live streams and to the pages of public links, and wakes the jobs that have work by `ring`.
    init(
        _ hub: LiveHub, listStreams: ListStreams, database: any Database,
        ring: @escaping @Sendable (Signals.Topic) -> Void
    ) {
        self.init { signals, device in
            // Streams of ended sessions end first, so that they hear of nothing more, not even of their own end.
            for session in signals.closedSessions { hub.end(session: session.description) }
            for account in signals.closedAccounts { hub.end(account: account) }
            hub.moved(signals.moved, by: device)
            listStreams.changed(signals.moved.union(signals.changedPages))
            // No feed has moved, but this event makes clients of every version start a round. Its answer has the kind.
            hub.moved(Set(signals.changedKinds.map { $0.retyped() }))
            for account in signals.changedSessions { hub.sessionsChanged(of: account) }
            // Each node gets the choice, and the one with the device's stream sets it.
            for choice in signals.choices { try? hub.setPresence(choice.state, of: choice.account, choice.device) }
            for topic in signals.topics { ring(topic) }
            await hub.readCircles(of: signals.circles, in: database)
        }
    }
}
