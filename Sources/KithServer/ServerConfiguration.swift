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
    /// The path of a SQLite database, which the server creates if it does not exist, or the URL of a PostgreSQL database,
    /// `postgres://USER@HOST/DATABASE`. The URL may contain a password.
    public var database = "kith-server.sqlite"
    /// The limits of the use of PostgreSQL.
    public var postgres = PostgresSettings()
    /// The path of the file of the discovery keys; nil for the path of the database followed by `.discovery-key`, or
    /// `kith-server.discovery-key` with PostgreSQL.
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
    /// How often old tombstones and expired links are deleted.
    public var housekeeping = Duration.seconds(3600)
    /// How often the server checks whether to prepare a new discovery key or to delete an old one.
    public var discoveryUpkeep = Duration.seconds(60)
    /// How long running requests may take to finish when the server stops.
    public var shutdownGrace = Duration.seconds(10)

    /// The defaults.
    public init() {}

    /// The path of the file of the discovery keys.
    public var discoveryKeyPath: String { discoveryKeyFile ?? pathPrefix + ".discovery-key" }

    /// The path of the folder for messages of channels without a gateway.
    public var outboxPath: String { pathPrefix + ".outbox" }

    /// What the names of the server's files begin with: the path of the database, or with PostgreSQL a name in the current
    /// folder.
    private var pathPrefix: String { DatabaseAddress.isURL(database) ? "kith-server" : database }
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
            ServerConfiguration.prefix + name.uppercased().replacingOccurrences(of: "-", with: "_")
        }
    }

    /// The first letters of the variables of settings.
    private static let prefix = "KITH_SERVE_"

    /// The variable that names the configuration file.
    public static let fileVariable = prefix + "CONFIG"

    /// All settings.
    public static let settings: [Setting] = ServerSettings.all

    /// Reads the settings. Flags override the environment, which overrides the file.
    ///
    /// - Parameters:
    ///   - flags: Texts by the names of ``settings``.
    ///   - environment: Texts by the variables of the settings. An empty text counts as unset. Variables without the prefix
    ///     `KITH_SERVE_` are ignored.
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
        let variables = Set(Self.settings.map(\.variable) + [Self.fileVariable])
        if let unknown = environment.keys.filter({ $0.hasPrefix(Self.prefix) && !variables.contains($0) }).min() {
            throw ServerError(
                .malformed, "The environment has an unknown variable \(unknown). “kith serve --help” lists them.")
        }
        for setting in Self.settings {
            if let value = written[setting.name] {
                try apply(setting, value.setting, from: "“\(setting.name)” in the configuration file")
            }
            if let value = environment[setting.variable], !value.isEmpty {
                try apply(setting, value, from: setting.variable)
            }
            if let value = flags[setting.name] { try apply(setting, value, from: "--\(setting.name)") }
        }
    }

    private mutating func apply(_ setting: Setting, _ text: String?, from source: String) throws {
        guard let text, !text.isEmpty, setting.set(&self, text) else {
            let value = text.map { "“\($0.prefix(80))”" } ?? "of the wrong type"
            throw ServerError(.malformed, "\(source) is \(value); \(setting.needed) is needed.")
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

    /// Checks that the settings of passkeys fit together, if the operator has set any.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    func checkPasskeys() throws {
        guard passkeys.isOn, passkeys.domain != nil || !passkeys.origins.isEmpty else { return }
        do throws(ServerError) {
            _ = try RelyingParty(passkeys, address: publicURL ?? url(port: port).absoluteString)
        } catch {
            throw ServerError(.malformed, error.sentence)
        }
    }
}
