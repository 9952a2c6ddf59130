import KithModel

/// The pauses of everything that tries again after a failure, and what ends them early: a successful round, or another
/// network.
struct Retries: Sendable {
    private let replica: Replica
    /// The pauses until the next attempt of a round. Each successful round ends them, and so does another network, unless the
    /// server has asked to wait.
    let ofRounds: RetryPauses
    /// The pauses of the live stream and of the log-outs. Another network ends them, and a sign-in, but no round: a server
    /// that makes rounds may still refuse streams.
    let ofConnections: RetryPauses

    init(_ replica: Replica) {
        self.replica = replica
        ofRounds = RetryPauses(replica.dependencies)
        ofConnections = RetryPauses(replica.dependencies)
    }

    /// Waits until the next attempt of a round is due, another round has succeeded, or the network has changed.
    func pauseUntilDue() async throws {
        let replica = replica
        try await ofRounds.pause {
            let (now, retryAt) = try await replica.read { (replica.dependencies.now(), $0.account.schedule.retryAt) }
            return max((retryAt ?? now) - now, .milliseconds(100))
        }
    }

    /// Makes the next attempt due now if another network may end the last failure, and ends the pauses. A server that has
    /// asked to wait is not asked earlier.
    func networkChanged() async {
        // If this cannot be stored, the loop's attempt is made when it was due.
        let isDue = try? await replica.write { transaction -> Bool in
            if let code = transaction.account.error?.code, KithError.ofNetwork.contains(code) {
                transaction.handle(.restarted)
            }
            return transaction.account.schedule.isDue(at: transaction.now)
        }
        if isDue ?? true { ofRounds.end() }
        ofConnections.end()
    }
}
