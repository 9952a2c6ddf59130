/// The way out of the server: a mail relay, an SMS provider, or a folder.
///
/// A gateway delivers up to ``width`` messages at a time. It can keep connections open until ``rest()``.
package protocol MessageGateway: Sendable {
    /// How long one ``deliver(_:)`` can take until the message is handed over.
    var deadline: Duration { get }

    /// How long the answer to a message that was handed over can take after that.
    var patience: Duration { get }

    /// How many messages it delivers at a time.
    var width: Int { get }

    /// Hands over one message. If the task is cancelled, it ends soon, with `broken` if the message was handed over.
    func deliver(_ message: StoredMessage) async -> GatewayOutcome

    /// Closes what is open and not in use. Called when no message waits.
    func rest() async

    /// Ends the deliveries whose messages were not handed over yet, and those that begin from now on. Called when the server
    /// stops.
    func halt()
}

extension MessageGateway {
    package var patience: Duration { .zero }
    package var width: Int { 1 }
    package func halt() {}
}
