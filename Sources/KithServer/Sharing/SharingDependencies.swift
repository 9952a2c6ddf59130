package import KithModel

/// The dependencies of sharing besides the database: messages, the address of links, and randomness.
package struct SharingDependencies: Sendable {
    /// Sends the emails.
    package let messages: MessageQueue
    /// Returns the whole address of a link.
    package let link: @Sendable (ShareLink) -> String
    /// Returns the identity by which the recipient's account is found: see ``PhoneCountries/canonical(_:)``.
    package let canonical: @Sendable (Identity) -> Identity
    /// The source of random bytes.
    package let random: RandomBytes
    /// Wakes the job that sends events to webhooks. Called after a commit that may have added some.
    package let wakeWebhooks: @Sendable () -> Void

    package init(
        messages: MessageQueue, link: @escaping @Sendable (ShareLink) -> String,
        canonical: @escaping @Sendable (Identity) -> Identity = { $0 },
        random: RandomBytes = .system,
        wakeWebhooks: @escaping @Sendable () -> Void = {}
    ) {
        (self.messages, self.link, self.canonical) = (messages, link, canonical)
        (self.random, self.wakeWebhooks) = (random, wakeWebhooks)
    }
}
