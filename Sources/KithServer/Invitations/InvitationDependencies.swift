package import KithModel

/// The dependencies of invitations besides the database: messages, the address of links, and randomness.
package struct InvitationDependencies: Sendable {
    /// Sends the messages.
    package let messages: MessageQueue
    /// Returns the whole link with a secret.
    package let link: @Sendable (String) -> String
    /// Whether the server sends SMS to this number. The operator's SMS provider and countries decide it.
    package let sendsSMS: @Sendable (E164) -> Bool
    /// Returns the identity under which limits count the recipient and accounts are found: see
    /// ``PhoneCountries/canonical(_:)``.
    package let canonical: @Sendable (Identity) -> Identity
    /// The source of random bytes.
    package let random: RandomBytes

    package init(
        messages: MessageQueue, link: @escaping @Sendable (String) -> String,
        sendsSMS: @escaping @Sendable (E164) -> Bool = { _ in false },
        canonical: @escaping @Sendable (Identity) -> Identity = { $0 },
        random: RandomBytes = .system
    ) {
        (self.messages, self.link, self.sendsSMS) = (messages, link, sendsSMS)
        (self.canonical, self.random) = (canonical, random)
    }
}
