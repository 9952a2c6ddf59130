import KithModel

/// Data that mutations refer to and that is sent in separate requests, for example pictures.
protocol RoundAttachments: Sendable {
    /// Sends all waiting data. A round calls this before it sends its mutations. An error ends the round.
    func send(of account: AccountID, to connection: SessionConnection) async throws
}
