import KithModel

/// Data that mutations refer to and that is sent by requests of its own, for example a picture.
protocol RoundAttachments: Sendable {
    /// Sends what waits. A round calls it before it sends its mutations; an error ends the round.
    func send(of account: AccountID, to connection: ServerConnection, token: String) async throws
}
