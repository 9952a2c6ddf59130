package import KithModel

/// A message to one recipient, before it is composed.
package struct OutgoingMessage: Sendable {
    /// The way to the recipient.
    package enum Channel: String, CaseIterable, Sendable {
        case email, sms
    }

    /// The identity of the message, and its idempotency key: a message that is added twice is sent once.
    package var id: MessageID
    package var channel: Channel
    /// The email address, or the number in E.164 form.
    package var recipient: String
    package var kind: MessageKind
    /// The wanted languages, as tags such as `de-AT` (RFC 5646), best first: the recipient's if known, then the
    /// sender's.
    package var languages: [String]
    /// The values for the template, by the names of ``MessageKind/values``. They are text, not markup.
    package var values: [String: String]
    /// Whether the recipient can unsubscribe from messages of this kind. True for messages from person to person, false
    /// for those that the recipient asked for.
    package var canUnsubscribe: Bool
    /// The account on whose behalf it is sent; nil if it is the server itself.
    package var sender: AccountID?
    /// Whether it counts towards all limits and is not sent, so that its sender cannot tell that.
    package var isWithheld: Bool

    package init(
        id: MessageID, channel: Channel, recipient: String, kind: MessageKind, languages: [String] = [],
        values: [String: String], canUnsubscribe: Bool, sender: AccountID? = nil, isWithheld: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.recipient = recipient
        self.kind = kind
        self.languages = languages
        self.values = values
        self.canUnsubscribe = canUnsubscribe
        self.sender = sender
        self.isWithheld = isWithheld
    }
}

/// The identity of a message.
package typealias MessageID = RecordID<OutgoingMessage>

extension Identity {
    /// The way to the person with this identity.
    var channel: OutgoingMessage.Channel {
        switch self {
        case .email: .email
        case .phone: .sms
        }
    }
}
