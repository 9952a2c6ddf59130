import Foundation
import KithModel
import Logging

/// The settings of a server, one table for each part of it.
enum ServerSettings {
    private typealias Setting = ServerConfiguration.Setting

    /// All settings.
    static let all: [ServerConfiguration.Setting] = general + messages + apps + signIn + passkeys

    /// The settings of the server as a whole, and its limits.
    private static let general: [Setting] = [
        Setting("host", "The address to listen at (127.0.0.1).", "an address or a name", \.host) {
            $0.allSatisfy { $0.isLetter || $0.isNumber || ".:-_%".contains($0) } ? $0 : nil
        },
        Setting("port", "The port to listen at; 0 takes a free one (8480).", \.port, 0...65_535),
        Setting(
            "database",
            "The path of the SQLite database, or the URL of a PostgreSQL database (kith-server.sqlite).",
            "a path or postgres://USER@HOST/DATABASE", \.database
        ) { $0 },
        Setting("database-connections", "Connections to PostgreSQL (16).", "a whole number from 2 to 1000") {
            guard let count = Int($1), (2...1_000).contains(count) else { return false }
            $0.postgres.connections = count
            // The others remain for reads.
            $0.postgres.writers = max(1, count * 3 / 4)
            return true
        },
        Setting(
            "database-pooler",
            "Whether a pooler such as PgBouncer shares the connections to PostgreSQL by transaction (off).",
            "on or off"
        ) {
            guard let isOn = ["on": true, "off": false][$1] else { return false }
            $0.postgres.isPooled = isOn
            $0.postgres.preparesStatements = !isOn
            return true
        },
        Setting(
            "database-listening",
            "The URL of PostgreSQL itself, where this server listens to others if a pooler is between (the database).",
            "postgres://USER@HOST/DATABASE"
        ) {
            guard case .postgres(let url)? = try? DatabaseAddress($1) else { return false }
            $0.postgres.listeningURL = url
            return true
        },
        Setting(
            "discovery-key-file",
            "The file of the secret discovery keys (the path of the database followed by .discovery-key; "
                + "with PostgreSQL, kith-server.discovery-key).",
            "a path", optional: \.discoveryKeyFile
        ) { $0 },
        Setting(
            "public-url", "The public address of the server, for links (the address at which it listens).",
            "an http or https URL without a query, such as https://kith.example.com,", optional: \.publicURL
        ) { publicAddress($0) },
        Setting(
            "log-level", "The log level (info).", "one of trace, debug, info, notice, warning, error, critical",
            \.logLevel
        ) { Logger.Level(rawValue: $0) },
        Setting(
            "trusted-proxy", "Reverse proxies whose X-Forwarded-For is trusted, separated by commas (none).",
            "“loopback”, an address or a network such as 10.0.0.0/8", \.trustedProxies
        ) { list($0.replacing("loopback", with: "127.0.0.0/8,::1")) { AddressRange($0) } },
        Setting("session-rate", "Requests per second of one session (20).", rate: \.limits.session.perSecond),
        Setting("session-burst", "Requests at once of one session (200).", \.limits.session.burst, 1...1_000_000),
        Setting(
            "address-rate", "Requests per second of one address without a session (20).",
            rate: \.limits.address.perSecond
        ),
        Setting(
            "address-burst", "Requests at once of one address without a session (200).", \.limits.address.burst,
            1...1_000_000),
        Setting(
            "new-session-rate", "New sessions per second of one address (1).", rate: \.limits.newSessions.perSecond),
        Setting(
            "new-session-burst", "New sessions at once of one address (60).", \.limits.newSessions.burst,
            1...1_000_000),
        Setting(
            "operating-rate", "Requests per second of one address for /health, /ready and /metrics (100).",
            rate: \.limits.operating.perSecond),
        Setting(
            "operating-burst", "Requests at once of one address for /health, /ready and /metrics (1000).",
            \.limits.operating.burst, 1...1_000_000),
        Setting(
            "requests-at-once", "Concurrent requests (1000).", \.limits.requestsAtOnce, 1...1_000_000),
        Setting(
            "discovery-quota", "Numbers and emails that one account can look up per day (20000).",
            \.limits.evaluationsADay, 0...1_000_000_000),
        Setting("streams-of-session", "Live streams of one session (8).", \.limits.streamsOfSession, 1...1_000_000),
        Setting("streams-at-once", "Live streams in total (10000).", \.limits.streamsAtOnce, 1...1_000_000),
        Setting(
            "connections-of-address", "Connections of one address (500).", \.limits.connectionsOfAddress,
            1...1_000_000),
        Setting("connections-at-once", "Connections in total (12000).", \.limits.connectionsAtOnce, 1...1_000_000),
        Setting(
            "session-work", "Units of work per second of one session (4000).", rate: \.limits.sessionWork.perSecond),
        Setting(
            "address-work", "Units of work per second of one address (8000).", rate: \.limits.addressWork.perSecond),
        Setting(
            "heavy-at-once", "Concurrent large requests (half of the cores).", \.limits.heavyAtOnce,
            1...1_000),
        Setting(
            "account-storage", "MiB of records of one account (256).", \.limits.storageOfAccount, 1...1_000_000,
            unit: 1 << 20),
        Setting(
            "operator-page", "Whether operators can sign in to the pages at /admin (on).", isOn: \.hasOperatorPages),
        Setting(
            "free-disk", "Percent of the disk to keep free; below that, writes are refused with 503 (5).",
            \.limits.freeDisk, 0...99),
        Setting(
            "issuers-file", "The file of the OpenID Connect issuers at which users can sign in (none).", "a path",
            optional: \.issuersFile
        ) { $0 },
        Setting(
            "webhooks-to-private-addresses", "Whether webhooks may be in private networks (off).",
            isOn: \.webhooksToPrivateAddresses),
    ]

    /// The settings of messages.
    private static let messages: [Setting] = [
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
        Setting("sms-a-day", "Parts of SMS per day in total (1000).", \.phone.messagesADay, 0...1_000_000_000),
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

    /// The settings of the apps that open this server's links.
    private static let apps: [Setting] = [
        Setting(
            "apple-app", "The apps for Apple’s systems that open links, separated by commas (none).",
            "an app id such as TEAMID.com.example.groceries", \.apps.appleIDs
        ) {
            list($0) { $0.wholeMatch(of: /[A-Z0-9]{10}(\.[A-Za-z0-9-]+)+/).map { String($0.0) } }
        },
        Setting(
            "android-app", "The app for Android that opens links (none).",
            "a package name such as com.example.groceries", optional: \.apps.androidPackage
        ) {
            $0.wholeMatch(of: /[A-Za-z]\w*(\.[A-Za-z]\w*)+/.asciiOnlyWordCharacters()).map { String($0.0) }
        },
        Setting(
            "android-certificate", "The SHA-256 of the certificates of that app, separated by commas (none).",
            "32 hexadecimal bytes with colons, as keytool prints them", \.apps.androidCertificates
        ) {
            list($0.uppercased()) { $0.wholeMatch(of: /[0-9A-F]{2}(:[0-9A-F]{2}){31}/).map { String($0.0) } }
        },
        Setting("app-page", "The page where people get the app (none).", "an https URL", optional: \.apps.page) {
            guard let url = URL(string: $0), url.scheme == "https", url.host()?.isEmpty == false else { return nil }
            return $0
        },
    ]

    /// The settings of codes.
    private static let signIn: [Setting] = [
        Setting("email-codes", "Whether users can sign in with codes by email (on).", isOn: \.signIn.sendsEmail),
        Setting(
            "recovery-codes", "Whether users can make recovery codes and sign in with them (on).",
            isOn: \.signIn.hasRecoveryCodes),
    ]

    /// The settings of passkeys.
    private static let passkeys: [Setting] = [
        Setting("passkeys", "Whether users can sign in with passkeys (on).", isOn: \.passkeys.isOn),
        Setting(
            "passkey-domain", "The domain of the passkeys (the host of the public address).",
            "a domain such as example.com", optional: \.passkeys.domain
        ) { RelyingParty.isDomain($0) ? $0 : nil },
        Setting(
            "passkey-origins",
            "The web pages and Android apps that may use passkeys, separated by commas (the public address).",
            "https://example.com, http://localhost:8480 or android:apk-key-hash:…",
            \.passkeys.origins
        ) {
            list($0) { RelyingParty.isOrigin($0) ? $0 : nil }
        },
    ]

    /// The elements of a text with commas, each read by `read`; nil if there are none, or one is not valid.
    private static func list<Element>(_ text: String, _ read: (String) -> Element?) -> [Element]? {
        let texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let elements = texts.compactMap(read)
        return texts.isEmpty || elements.count < texts.count ? nil : elements
    }

    /// The public address as browsers write it, without slashes at its end; nil if no link can begin with the text.
    private static func publicAddress(_ text: String) -> String? {
        // `URLComponents` would encode a blank, a quote or a control character, which is there by mistake. It writes a host
        // with other letters, such as “bücher.example”, as the DNS has it.
        let isLegal = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
        guard isLegal, var url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let port = ["http": 80, "https": 443][scheme], url.host?.isEmpty == false, url.user == nil,
            url.password == nil, url.query == nil, url.fragment == nil
        else { return nil }
        while url.percentEncodedPath.hasSuffix("/") { url.percentEncodedPath.removeLast() }
        if url.percentEncodedPath.contains("//") { return nil }
        (url.scheme, url.encodedHost) = (scheme, url.encodedHost?.lowercased())
        if url.port == port { url.port = nil }
        return url.string
    }

    /// The URL without a slash at its end.
    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

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
    fileprivate init(
        _ name: String, _ meaning: String, _ needed: String,
        set: @escaping @Sendable (inout ServerConfiguration, String) -> Bool
    ) {
        self.init(name: name, meaning: meaning, needed: needed, set: set)
    }

    /// A value that `read` makes from the text; nil if the text is not valid.
    fileprivate init<Value>(
        _ name: String, _ meaning: String, _ needed: String,
        _ value: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(name, meaning, needed) {
            guard let new = read($1) else { return false }
            $0[keyPath: value] = new
            return true
        }
    }

    /// Like ``init(_:_:_:_:_:)``, for a value that is nil by default.
    fileprivate init<Value>(
        _ name: String, _ meaning: String, _ needed: String,
        optional value: any WritableKeyPath<ServerConfiguration, Value?> & Sendable,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(name, meaning, needed, value) { text in read(text).map { .some($0) } }
    }

    /// A whole number in `range`, in the given unit.
    fileprivate init(
        _ name: String, _ meaning: String, _ value: any WritableKeyPath<ServerConfiguration, Int> & Sendable,
        _ range: ClosedRange<Int>, unit: Int = 1
    ) {
        self.init(name, meaning, "a whole number from \(range.lowerBound) to \(range.upperBound)", value) {
            Int($0).flatMap { range.contains($0) ? $0 * unit : nil }
        }
    }

    /// A rate per second.
    fileprivate init(
        _ name: String, _ meaning: String, rate value: any WritableKeyPath<ServerConfiguration, Double> & Sendable
    ) {
        self.init(name, meaning, "a number from 0.001 to 1000000", value) {
            Double($0).flatMap { (0.001...1_000_000).contains($0) ? $0 : nil }
        }
    }

    /// A text in one line.
    fileprivate init(
        _ name: String, _ meaning: String, line value: any WritableKeyPath<ServerConfiguration, String?> & Sendable
    ) {
        self.init(name, meaning, "a text in one line", optional: value) {
            $0.unicodeScalars.contains { $0.value < 0x20 } ? nil : $0
        }
    }

    /// Something that is on or off.
    fileprivate init(
        _ name: String, _ meaning: String, isOn value: any WritableKeyPath<ServerConfiguration, Bool> & Sendable
    ) {
        self.init(name, meaning, "on or off", value) { ["on": true, "off": false][$0] }
    }
}
