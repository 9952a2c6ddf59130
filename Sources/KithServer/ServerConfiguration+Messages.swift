import Foundation
import KithModel

extension ServerConfiguration {
    /// The settings of messages.
    static let messageSettings: [Setting] = [
        Setting(
            "smtp-url", "The mail relay; without one, emails are written to files (none).",
            "smtp://host:587 or smtps://host:465", optional: \.messages.smtpURL
        ) { relay($0) },
        Setting(
            "smtp-tls", "Whether a connection to smtp://… must be encrypted (required).",
            "one of \(RelayTLS.allCases.map(\.rawValue).joined(separator: ", "))", \.messages.smtpTLS
        ) { RelayTLS(rawValue: $0) },
        Setting(
            "smtp-user", "The user name at the mail relay (none).", "a name without spaces",
            optional: \.messages.smtpUser
        ) { $0.contains(where: \.isWhitespace) ? nil : $0 },
        Setting(
            "smtp-password-file", "The file with the password at the mail relay (none).",
            line: \.messages.smtpPasswordFile),
        Setting(
            "mail-from", "The sender of emails (none).", "an address such as Kith <kith@example.com>",
            optional: \.messages.mailFrom
        ) { MailAddress($0) == nil ? nil : $0 },
        Setting(
            "bounce-address", "The address that gets reports about undelivered emails, for kith admin bounce (none).",
            "an address such as bounces@example.com, with at most \(BounceAddress.longestName) characters before the @ and no plus"
        ) {
            guard BounceAddress($1) != nil else { return false }
            $0.messages.bounceAddress = $1
            return true
        },
        Setting(
            "sms-url",
            "The SMS provider’s API, or “files” for a trial; without one, messages are written to files (none).",
            "an https URL such as https://api.example.com/2010-04-01, or files,",
            optional: \.messages.smsURL
        ) {
            if $0 == MessageSettings.files { return $0 }
            guard let url = URL(string: $0), let host = url.host(), url.query() == nil,
                url.scheme == "https" || (url.scheme == "http" && IPAddress(host)?.isLoopback == true)
            else { return nil }
            return withoutSlash($0)
        },
        Setting(
            "sms-account", "The account at the SMS provider (none).", "letters and digits",
            optional: \.messages.smsAccount
        ) { $0.utf8.allSatisfy(\.isLetterOrDigit) ? $0 : nil },
        Setting(
            "sms-secret-file", "The file with the secret of that account (none).", line: \.messages.smsSecretFile),
        Setting(
            "sms-sender", "The sender of an SMS: a number, a name or a messaging service (none).",
            "letters, digits, spaces and +", optional: \.messages.smsSender
        ) {
            let isValid =
                $0.utf8.contains(where: \.isLetterOrDigit)
                && $0.utf8.allSatisfy { $0.isLetterOrDigit || " +".utf8.contains($0) }
            return isValid ? $0 : nil
        },
        Setting(
            "sms-countries", "The countries to which SMS are sent, separated by commas (none).",
            "two letters of each country (ISO 3166-1), such as AT,DE,CH,", \.phone.countries
        ) { list($0) { Region($0) } },
        Setting("sms-a-day", "SMS per day in total (1000).", \.phone.messagesADay, 0...1_000_000_000),
        Setting("templates", "The folder of your own message templates (none).", line: \.messages.templates),
        Setting(
            "default-language", "The language of messages and pages for people whose language is unknown (en).",
            "a language tag such as de or pt-BR", \.messages.defaultLanguage
        ) { LanguageTag.isTag($0) ? $0 : nil },
        Setting(
            "service-name", "The name of the service in messages and on web pages (Kith).",
            "a name of at most 50 characters", \.messages.serviceName
        ) {
            let name = PlainLine.text($0)
            return name.isEmpty || name.count > 50 ? nil : name
        },
        Setting(
            "messages-a-day", "Messages per day in total (10000).", \.messages.limits.inAll, 0...1_000_000_000),
    ]

    /// The relay's address, without a slash at its end; nil if the text is none.
    private static func relay(_ text: String) -> String? {
        guard let url = URLComponents(string: text), ["smtp", "smtps"].contains(url.scheme),
            url.host?.isEmpty == false, url.user == nil, url.password == nil, url.query == nil, url.fragment == nil,
            ["", "/"].contains(url.path)
        else { return nil }
        return withoutSlash(text)
    }
}

extension ServerConfiguration.Setting {
    /// A text in one line.
    fileprivate init(
        _ name: String, _ meaning: String, line value: any WritableKeyPath<ServerConfiguration, String?> & Sendable
    ) {
        self.init(name, meaning, "a text in one line", optional: value) {
            $0.unicodeScalars.contains { $0.value < 0x20 } ? nil : $0
        }
    }
}
