/// The way out of the server: a mail relay, an SMS provider, or a folder.
///
/// A gateway delivers one message at a time. It can keep a connection open until ``rest()``.
package protocol MessageGateway: Sendable {
    /// How long one ``deliver(_:)`` can take.
    var deadline: Duration { get }

    /// Hands over one message. If the task is cancelled, it ends soon with `broken`.
    func deliver(_ message: StoredMessage) async -> GatewayOutcome

    /// Closes what is open. Called when no message waits.
    func rest() async
}
