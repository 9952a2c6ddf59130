package import KithModel

/// What invitations need of the server besides its database: messages, the address of links, and randomness.
package struct InvitationOutlets: Sendable {
    /// Sends the messages.
    package let messages: MessageQueue
    /// The complete link with a secret.
    package let link: @Sendable (String) -> String
    /// Whether the server sends SMS to this number. The operator's SMS provider and countries decide it.
    package let sendsSMS: @Sendable (E164) -> Bool
    /// Returns 32 fresh random bytes.
    package let random: @Sendable () -> [UInt8]

    package init(
        messages: MessageQueue, link: @escaping @Sendable (String) -> String,
        sendsSMS: @escaping @Sendable (E164) -> Bool = { _ in false },
        random: @escaping @Sendable () -> [UInt8] = { Secret.random() }
    ) {
        (self.messages, self.link, self.sendsSMS, self.random) = (messages, link, sendsSMS, random)
    }
}
