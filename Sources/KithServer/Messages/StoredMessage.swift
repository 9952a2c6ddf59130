package import Foundation
package import KithModel

/// A composed message, as it is stored and as a gateway receives it. What was composed is what is sent.
package struct StoredMessage: Hashable, Sendable {
    package var id: MessageID
    package var channel: OutgoingMessage.Channel
    package var kind: MessageKind
    /// The language of the text, as a tag.
    package var language: String
    package var recipient: String
    package var subject: String
    package var text: String
    /// The text in HTML; empty for an SMS.
    package var html: String
    /// The address at which the recipient can unsubscribe; nil if that is not possible.
    package var unsubscribe: String?
    package var created: Timestamp
    package var expires: Timestamp
    /// The number of attempts, with the current one.
    package var attempts: Int
    /// The token by which a bounce names the message: ``MessageSecret/bounceToken(of:)``; nil before it is delivered.
    package var bounceToken: Data?

    package init(
        id: MessageID, channel: OutgoingMessage.Channel, kind: MessageKind, language: String, recipient: String,
        subject: String, text: String, html: String, unsubscribe: String?, created: Timestamp, expires: Timestamp,
        attempts: Int = 0
    ) {
        self.id = id
        self.channel = channel
        self.kind = kind
        self.language = language
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.html = html
        self.unsubscribe = unsubscribe
        self.created = created
        self.expires = expires
        self.attempts = attempts
    }

    /// The recipient of an email as emails and SMTP have it.
    var mailbox: String { EmailAddress(recipient)?.mailbox ?? recipient }
}
