/// How an attempt to hand a message to a gateway ended.
package enum GatewayOutcome: Hashable, Sendable {
    /// The gateway takes responsibility for the message.
    case accepted
    /// The gateway refused the message, but may accept it later.
    case refusedForNow(String)
    /// The gateway refuses this message, however often it is sent.
    case refused(String)
    /// It is unknown whether the gateway has the message: it did not answer, or the connection broke.
    case broken(String)
}
