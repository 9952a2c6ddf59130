public import Foundation
import KithModel
public import Logging
import NIOCore

/// The settings of a server. The default values suit a trial on your own machine.
public struct ServerConfiguration: Sendable {
    /// The address to listen at. The reverse proxy provides TLS, so only loopback clients should be able to reach this
    /// address directly.
    public var host = "127.0.0.1"
    /// The port to listen at; 0 chooses a free port.
    public var port = 8480
    /// The path of the SQLite database. The server creates the file if it does not exist.
    public var database = "kith-server.sqlite"
    /// The path of the file of the discovery keys; nil for the path of the database followed by `.discovery-key`.
    public var discoveryKeyFile: String?
    /// The public address of the server, with which links begin; nil for the address at which the server listens.
    public var publicURL: String?
    /// The log level.
    public var logLevel = Logger.Level.info
    /// The reverse proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [AddressRange] = []
    /// The limits of the load that the server accepts.
    public var limits = ServerLimits()
    /// The settings of messages: relay, provider, templates, limits.
    public var messages = MessageSettings()
    /// The ways to sign in, and the limits of codes.
    public var signIn = SignInSettings()
    /// The apps that open the server's links.
    public var apps = AppSettings()
    /// The countries that get SMS, and the limits of SMS.
    public var phone = PhoneSettings()
    /// The settings of passkeys.
    public var passkeys = PasskeySettings()
    /// The path of the file of OpenID Connect issuers; nil for none.
    public var issuersFile: String?
    /// Whether webhooks may be in private networks.
    public var webhooksToPrivateAddresses = false
    /// The issuers at which users can sign in, besides those of the file.
    public var issuers: [IssuerSettings] = []
    /// Whether the operator has pages in a browser, at `/admin`.
    public var hasOperatorPages = true
    /// Whether to announce a new epoch. This is necessary after a backup was restored.
    public var newEpoch = false
    /// How often an idle live stream sends a heartbeat.
    public var heartbeat = Duration.seconds(20)
    /// How long a connection may send nothing, even in the middle of a request, before the server closes it.
    public var idle = Duration.seconds(60)
    /// How often old tombstones, closed lists and expired links are deleted.
    public var housekeeping = Duration.seconds(3600)
    /// How often the server checks whether to prepare a new discovery key or to delete an old one.
    public var discoveryUpkeep = Duration.seconds(60)
    /// How long running requests may take to finish when the server stops.
    public var shutdownGrace = Duration.seconds(10)

    /// The defaults.
    public init() {}

    /// The path of the file of the discovery keys.
    public var placeOfDiscoveryKeys: String { discoveryKeyFile ?? database + ".discovery-key" }

    /// The path of the folder for messages of channels without a gateway.
    public var placeOfOutbox: String { database + ".outbox" }
}

extension ServerConfiguration {
    /// One value that a flag, an environment variable or the file can set, under the same name.
    public struct Setting: Sendable {
        /// The name of the flag, without its dashes, and the key in the file.
        public let name: String
        /// The description, for `--help`.
        public let meaning: String
        /// The permitted values, to complete the sentence "… is needed".
        let needed: String
        /// Sets the value, or returns false if the text is not valid.
        let set: @Sendable (inout ServerConfiguration, String) -> Bool

        /// The name in the environment: `KITH_SERVE_PUBLIC_URL`.
        public var variable: String {
            "KITH_SERVE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
        }
    }

    /// All settings.
    public static let settings: [Setting] =
        [
            Setting("host", "The address to listen at (127.0.0.1).", "an address or a name", \.host) {
                $0.allSatisfy { $0.isLetter || $0.isNumber || ".:-_%".contains($0) } ? $0 : nil
            },
            Setting("port", "The port to listen at; 0 takes a free one (8480).", \.port, 0...65_535),
            Setting("database", "The path of the SQLite database (kith-server.sqlite).", "a path", \.database) { $0 },
            Setting(
                "discovery-key-file",
                "The file of the secret discovery keys (the path of the database followed by .discovery-key).",
                "a path", optional: \.discoveryKeyFile
            ) { $0 },
            Setting(
                "public-url", "The public address of the server, for links (the address at which it listens).",
                "an http or https URL", optional: \.publicURL
            ) {
                guard let url = URL(string: $0), ["http", "https"].contains(url.scheme), url.host() != nil else {
                    return nil
                }
                return withoutSlash($0)
            },
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
                "session-work", "Units of work per second of one session (2000).", rate: \.limits.sessionWork.perSecond),
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
        ] + messageSettings + appSettings + signInSettings + passkeySettings

    /// Reads the settings. Flags override the environment, which overrides the file.
    ///
    /// - Parameters:
    ///   - flags: Texts by the names of ``settings``.
    ///   - environment: Texts by the variables of the settings; other variables are ignored.
    ///   - file: A JSON object whose keys are the names of the settings, or nil.
    /// - Throws: ``ServerError`` that names the setting and the origin of its value.
    public init(flags: [String: String] = [:], environment: [String: String] = [:], file: Data? = nil) throws {
        self.init()
        var written: Fields = [:]
        if let file {
            do throws(ServerError) {
                written = try JSONBody.decode(Fields.self, from: file)
            } catch {
                let sentence = error.sentence.replacing("The body", with: "It")
                throw ServerError(
                    .malformed, "The configuration file is not a JSON object. \(sentence)", path: error.path,
                    cause: error)
            }
        }
        let names = Set(Self.settings.map(\.name))
        if let unknown = written.keys.filter({ !names.contains($0) }).min() {
            throw ServerError(
                .malformed, "The configuration file has an unknown key “\(unknown)”. “kith serve --help” lists them.")
        }
        for setting in Self.settings {
            if let value = written[setting.name] {
                try apply(setting, value.setting, from: "“\(setting.name)” in the configuration file")
            }
            if let value = environment[setting.variable] { try apply(setting, value, from: setting.variable) }
            if let value = flags[setting.name] { try apply(setting, value, from: "--\(setting.name)") }
        }
    }

    private mutating func apply(_ setting: Setting, _ text: String?, from source: String) throws {
        guard let text, !text.isEmpty, setting.set(&self, text) else {
            let value = text.map { "“\($0.prefix(80))”" } ?? "of the wrong type"
            throw ServerError(.malformed, "\(source) is \(value); \(setting.needed) is needed.")
        }
    }

    /// The elements of a text with commas, each read by `read`; nil if there are none, or one is not valid.
    static func list<Element>(_ text: String, _ read: (String) -> Element?) -> [Element]? {
        let texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let elements = texts.compactMap(read)
        return texts.isEmpty || elements.count < texts.count ? nil : elements
    }

    static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}

extension ServerConfiguration.Setting {
    init(
        _ name: String, _ meaning: String, _ needed: String,
        set: @escaping @Sendable (inout ServerConfiguration, String) -> Bool
    ) {
        self.init(name: name, meaning: meaning, needed: needed, set: set)
    }

    /// A value that `read` makes from the text; nil if the text is not valid.
    init<Value>(
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
    init<Value>(
        _ name: String, _ meaning: String, _ needed: String,
        optional value: any WritableKeyPath<ServerConfiguration, Value?> & Sendable,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(name, meaning, needed) {
            guard let new = read($1) else { return false }
            $0[keyPath: value] = new
            return true
        }
    }

    /// A whole number in `range`, in the given unit.
    init(
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
}

extension FieldValue {
    /// The value as the text of a flag; nil if it cannot be a setting.
    fileprivate var setting: String? {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .array(let values):
            values.allSatisfy { $0.text != nil } ? values.compactMap(\.text).joined(separator: ",") : nil
        case .null, .flag, .object: nil
        }
    }
}

extension ServerConfiguration {
    /// The address of a server that listens at `port`.
    func url(port: Int) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = host.contains(":") ? "[\(host)]" : host
        parts.port = port
        // The server cannot have listened at a host that is not valid in a URL.
        return parts.url ?? URL(filePath: "/")
    }

    /// Whether only this machine can reach the server.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// The reason why the server cannot listen at the host or the port, and what to choose instead.
    func failure(_ error: any Error) -> ServerError {
        guard let error = error as? IOError else {
            return ServerError(
                .init(rawValue: "cannotListen"),
                "\(host) is no name or address that is known here. Choose another with --host.", cause: error)
        }
        return failure(error)
    }

    private func failure(_ error: IOError) -> ServerError {
        let sentence =
            switch error.errnoCode {
            case EADDRINUSE: "Port \(port) is already in use. Stop what uses it, or choose another with --port."
            case EACCES: "Port \(port) needs more rights. Choose one from 1024 with --port."
            case EADDRNOTAVAIL: "\(host) is not an address of this machine. Choose another with --host."
            default: "Cannot listen at \(host), port \(port): \(String(cString: strerror(error.errnoCode)))."
            }
        return ServerError(.init(rawValue: "cannotListen"), sentence, cause: error)
    }
}
