/// The operator's settings for messages. Without a relay and a provider, messages are written to files.
public struct MessageSettings: Sendable {
    /// The mail relay: `smtp://host:587` or `smtps://host:465`; nil writes emails to files.
    public var smtpURL: String?
    /// The user name at the relay; nil to send without signing in.
    public var smtpUser: String?
    /// The file with the password at the relay, which only its owner may read.
    public var smtpPasswordFile: String?
    /// The sender of emails: `Kith <kith@example.com>`.
    public var mailFrom: String?
    /// The address of the SMS provider's API; nil writes messages to files.
    public var smsURL: String?
    /// The account at the SMS provider.
    public var smsAccount: String?
    /// The file with the secret of the account at the SMS provider, which only its owner may read.
    public var smsSecretFile: String?
    /// The sender of an SMS: a number, a name, or the id of a messaging service.
    public var smsSender: String?
    /// The folder with the operator's own templates; nil for those of this program.
    public var templates: String?
    /// The language of messages to recipients whose language is unknown.
    public var defaultLanguage = MessageTemplates.fallback
    /// The name of the service in messages.
    public var serviceName = "Kith"
    /// The limits of messages per day.
    package var limits = MessageLimits()

    /// The defaults.
    public init() {}
}
