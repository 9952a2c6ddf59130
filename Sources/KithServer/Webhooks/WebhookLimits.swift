import KithModel

/// The limits of webhooks.
package enum WebhookLimits {
    /// The webhooks of a server.
    package static let webhooks = 20
    /// The events that wait for one webhook. Further events are counted, but not sent.
    package static let waiting = 10_000
    /// A share is stored only while fewer events wait. One account can make many shares, so the rest is for other events.
    package static let waitingForShares = 5_000
    /// The time for a whole answer.
    package static let deadline = Duration.seconds(15)
    /// How long an event is kept, for the operator to see and to send again.
    package static let kept = Duration.days(30)
    /// How long the requests are also signed with the secret before the last one.
    package static let oldSecret = Duration.days(1)
    /// The longest address, in bytes.
    package static let address = 2_000
    /// The longest text about a failed attempt, in characters.
    static let detail = 200
}
