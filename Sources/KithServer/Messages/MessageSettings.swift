import KithModel

/// The operator's settings for messages. Without a relay and a provider, messages are written to files.
public struct MessageSettings: Sendable {
    /// The mail relay: `smtp://host:587` or `smtps://host:465`; nil writes emails to files.
    public var smtpURL: String?
    /// Whether a connection to `smtp:` becomes encrypted.
    public var smtpTLS = RelayTLS.required
    /// The user name at the relay; nil to send without signing in.
    public var smtpUser: String?
    /// The file with the password at the relay, which only its owner may read.
    public var smtpPasswordFile: String?
    /// The sender of emails: `Kith <kith@example.com>`.
    public var mailFrom: String?
    /// The address to which undelivered emails are reported: `bounces@example.com`. Each email has a sender of its own
    /// on its envelope, with a plus and a token; nil for the address of ``mailFrom``.
    public var bounceAddress: String?
    /// The address of the SMS provider's API; ``files`` for a trial; nil writes messages to files and sends no codes.
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

    /// The ``smsURL`` of a trial without a provider: SMS, codes included, are written to files.
    public static let files = "files"

    /// The defaults.
    public init() {}
}

extension MessageSettings {
    /// The relay of these settings; nil if emails are written to files.
    ///
    /// - Throws: ``ServerError`` that names the setting that is missing or wrong.
    func relay() throws(ServerError) -> SMTPGateway.Relay? {
        guard let smtpURL else {
            if smtpUser != nil || smtpPasswordFile != nil {
                throw Self.missing(
                    "smtp-url", besides: "smtp-user or smtp-password-file", "smtp://mail.example.com:587")
            }
            return nil
        }
        guard mailFrom != nil else { throw Self.missing("mail-from", besides: "smtp-url", "Kith <kith@example.com>") }
        var password: String?
        if let smtpUser {
            guard let file = smtpPasswordFile else {
                throw Self.missing("smtp-password-file", besides: "smtp-user", "a file with \(smtpUser)’s password")
            }
            password = try SecretFile.read(file, setting: "smtp-password-file")
        } else if smtpPasswordFile != nil {
            throw Self.missing("smtp-user", besides: "smtp-password-file", "kith@example.com")
        }
        return SMTPGateway.Relay(url: smtpURL, tls: smtpTLS, user: smtpUser, password: password)
    }

    /// The bounce address of these settings; nil if there is none.
    ///
    /// - Throws: ``ServerError`` if it is not one.
    func bounces() throws(ServerError) -> BounceAddress? {
        guard let bounceAddress else { return nil }
        guard let address = BounceAddress(bounceAddress) else {
            throw ServerError(
                .malformed, "bounce-address is “\(bounceAddress.prefix(80))”. Write it like bounces@example.com.")
        }
        return address
    }

    /// The SMS provider of these settings; nil if messages are written to files.
    ///
    /// - Throws: ``ServerError`` that names the setting that is missing or wrong.
    func provider(callback: String?) throws(ServerError) -> SMSProvider? {
        guard let smsURL else {
            if smsAccount != nil || smsSecretFile != nil || smsSender != nil {
                throw Self.missing("sms-url", besides: "the other sms settings", "https://api.example.com/2010-04-01")
            }
            return nil
        }
        if smsURL == Self.files { return nil }
        guard let smsAccount else { throw Self.missing("sms-account", besides: "sms-url", "the account’s id") }
        guard let smsSecretFile else {
            throw Self.missing("sms-secret-file", besides: "sms-url", "a file with the account’s secret")
        }
        guard let smsSender else { throw Self.missing("sms-sender", besides: "sms-url", "+15005550006") }
        return SMSProvider(
            url: smsURL, account: smsAccount, secret: try SecretFile.read(smsSecretFile, setting: "sms-secret-file"),
            sender: smsSender, callback: callback)
    }

    /// The error that the setting `name` is missing, because another one needs it.
    static func missing(_ name: String, besides other: String, _ example: String) -> ServerError {
        ServerError(.malformed, "\(other) needs \(name) too. Set it, for example to \(example).")
    }
}
