import ArgumentParser
import Foundation
import KithModel
import KithServer
import Logging

#if canImport(PhoneNumbers)
    import PhoneNumbers
#endif
#if canImport(FIDO)
    import FIDO
#endif

/// `kith serve`: runs the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            Each option can also be set in the environment, under the name in brackets, or in a JSON file by its name \
            without dashes: {"port": 8480, "trusted-proxy": ["loopback"]}. A flag wins over the environment, which \
            wins over the file.

            The server speaks plain HTTP. Let a reverse proxy such as Caddy or nginx add TLS in front of it.
            """)

    @Option(help: help("host")) var host: String?
    @Option(help: help("port")) var port: String?
    @Option(help: help("database")) var database: String?
    @Option(help: help("database-connections")) var databaseConnections: String?
    @Option(help: help("database-pooler")) var databasePooler: String?
    @Option(help: help("database-listening")) var databaseListening: String?
    @Option(help: help("discovery-key-file")) var discoveryKeyFile: String?
    @Option(help: help("public-url")) var publicUrl: String?
    @Option(help: help("log-level")) var logLevel: String?
    @Option(help: help("trusted-proxy")) var trustedProxy: [String] = []
    @Option(help: help("session-rate")) var sessionRate: String?
    @Option(help: help("session-burst")) var sessionBurst: String?
    @Option(help: help("address-rate")) var addressRate: String?
    @Option(help: help("address-burst")) var addressBurst: String?
    @Option(help: help("new-session-rate")) var newSessionRate: String?
    @Option(help: help("new-session-burst")) var newSessionBurst: String?
    @Option(help: help("operating-rate")) var operatingRate: String?
    @Option(help: help("operating-burst")) var operatingBurst: String?
    @Option(help: help("requests-at-once")) var requestsAtOnce: String?
    @Option(help: help("discovery-quota")) var discoveryQuota: String?
    @Option(help: help("streams-of-session")) var streamsOfSession: String?
    @Option(help: help("streams-at-once")) var streamsAtOnce: String?
    @Option(help: help("connections-of-address")) var connectionsOfAddress: String?
    @Option(help: help("connections-at-once")) var connectionsAtOnce: String?
    @Option(help: help("session-work")) var sessionWork: String?
    @Option(help: help("address-work")) var addressWork: String?
    @Option(help: help("heavy-at-once")) var heavyAtOnce: String?
    @Option(help: help("account-storage")) var accountStorage: String?
    @Option(help: help("free-disk")) var freeDisk: String?
    @Option(help: help("operator-page")) var operatorPage: String?
    @Option(help: help("issuers-file")) var issuersFile: String?
    @Option(help: help("webhooks-to-private-addresses")) var webhooksToPrivateAddresses: String?
    @Option(help: help("apple-app")) var appleApp: [String] = []
    @Option(help: help("android-app")) var androidApp: String?
    @Option(help: help("android-certificate")) var androidCertificate: [String] = []
    @Option(help: help("app-page")) var appPage: String?
    @Option(help: help("smtp-url")) var smtpUrl: String?
    @Option(help: help("smtp-tls")) var smtpTls: String?
    @Option(help: help("smtp-user")) var smtpUser: String?
    @Option(help: help("smtp-password-file")) var smtpPasswordFile: String?
    @Option(help: help("mail-from")) var mailFrom: String?
    @Option(help: help("bounce-address")) var bounceAddress: String?
    @Option(help: help("sms-url")) var smsUrl: String?
    @Option(help: help("sms-account")) var smsAccount: String?
    @Option(help: help("sms-secret-file")) var smsSecretFile: String?
    @Option(help: help("sms-sender")) var smsSender: String?
    @Option(help: help("sms-countries")) var smsCountries: [String] = []
    @Option(help: help("sms-a-day")) var smsADay: String?
    @Option(help: help("templates")) var templates: String?
    @Option(help: help("default-language")) var defaultLanguage: String?
    @Option(help: help("service-name")) var serviceName: String?
    @Option(help: help("messages-a-day")) var messagesADay: String?
    @Option(help: help("email-codes")) var emailCodes: String?
    @Option(help: help("recovery-codes")) var recoveryCodes: String?
    @Option(help: help("passkeys")) var passkeys: String?
    @Option(help: help("passkey-domain")) var passkeyDomain: String?
    @Option(help: help("passkey-origins")) var passkeyOrigins: [String] = []
    @Option(help: "A JSON file with any of these. [KITH_SERVE_CONFIG]") var config: String?
    @Flag(help: "Announce a new epoch. Needed once, after a backup of the database was restored.") var newEpoch = false

    /// The flags by the names of the settings.
    var flags: [String: String] {
        let flags: [String: String?] = [
            "host": host, "port": port, "database": database,
            "database-connections": databaseConnections, "database-pooler": databasePooler,
            "database-listening": databaseListening,
            "discovery-key-file": discoveryKeyFile, "public-url": publicUrl, "log-level": logLevel,
            "session-rate": sessionRate, "session-burst": sessionBurst,
            "address-rate": addressRate, "address-burst": addressBurst, "new-session-rate": newSessionRate,
            "new-session-burst": newSessionBurst, "operating-rate": operatingRate, "operating-burst": operatingBurst,
            "requests-at-once": requestsAtOnce, "discovery-quota": discoveryQuota,
            "streams-of-session": streamsOfSession, "streams-at-once": streamsAtOnce,
            "connections-of-address": connectionsOfAddress, "connections-at-once": connectionsAtOnce,
            "session-work": sessionWork, "address-work": addressWork, "heavy-at-once": heavyAtOnce,
            "account-storage": accountStorage, "free-disk": freeDisk, "operator-page": operatorPage,
            "issuers-file": issuersFile, "webhooks-to-private-addresses": webhooksToPrivateAddresses,
            "android-app": androidApp, "app-page": appPage, "smtp-url": smtpUrl, "smtp-tls": smtpTls,
            "smtp-user": smtpUser, "smtp-password-file": smtpPasswordFile, "mail-from": mailFrom,
            "bounce-address": bounceAddress, "sms-url": smsUrl, "sms-account": smsAccount,
            "sms-secret-file": smsSecretFile, "sms-sender": smsSender, "sms-a-day": smsADay, "templates": templates,
            "default-language": defaultLanguage, "service-name": serviceName, "messages-a-day": messagesADay,
            "email-codes": emailCodes, "recovery-codes": recoveryCodes, "passkeys": passkeys,
            "passkey-domain": passkeyDomain,
        ]
        let lists = [
            "trusted-proxy": trustedProxy, "apple-app": appleApp, "android-certificate": androidCertificate,
            "sms-countries": smsCountries, "passkey-origins": passkeyOrigins,
        ]
        let joined = lists.filter { !$0.value.isEmpty }.mapValues { $0.joined(separator: ",") }
        return flags.compactMapValues { $0 }.merging(joined) { $1 }
    }

    func run() async throws {
        let configuration = try ending(with: .usage) { try self.configuration() }
        do {
            try await serve(configuration)
        } catch let error as ServerError {
            try ending(with: [ServerError.cannotOpen, .malformed].contains(error.code) ? .usage : .failed) {
                throw error
            }
        }
    }

    /// Does `work`. Reports an error in one line, without details that only a developer needs.
    private func ending<Done>(with status: ExitStatus, _ work: () throws -> Done) throws -> Done {
        do {
            return try work()
        } catch let error as ServerError {
            try? FileHandle.standardError.write(contentsOf: Data("kith serve: \(error.operatorSentence)\n".utf8))
            throw ExitCode(status.rawValue)
        }
    }

    private func configuration() throws -> ServerConfiguration {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try ServerConfiguration(
            flags: flags, environment: environment,
            file: try Self.file(config ?? environment[ServerConfiguration.fileVariable].nonEmpty))
        configuration.newEpoch = newEpoch
        #if canImport(PhoneNumbers)
            configuration.phone.numberingPlan = LibPhoneNumber()
        #endif
        return configuration
    }

    private func serve(_ configuration: ServerConfiguration) async throws {
        let level = configuration.logLevel
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: "kith")
        let metrics = PrometheusRegistry()
        metrics.adoptProcess()
        KithServer.allowManyConnections()
        SQLiteMemory.stopCounting()
        if !configuration.isLoopback {
            logger.warning(
                "Listening beyond this machine without TLS: tokens and lists can be read on the way. Put a reverse proxy in front."
            )
        }
        let database = try DatabaseAddress(configuration.database)
        // Held until this process ends: a second server would not learn of the changes that the first one takes.
        let lock = try DatabaseLock(of: database)
        defer { withExtendedLifetime(lock) {} }
        let server = try await KithServer.open(
            configuration, metrics: metrics, logger: logger, passkeyVerifier: Self.passkeyVerifier)
        try await server.run(obeysSignals: true) { address in
            // The server also runs if nobody can read this, as on a full disk.
            try? FileHandle.standardOutput.write(contentsOf: Data("Kith serves at \(address.absoluteString)\n".utf8))
            logger.info("Serving.", metadata: ["database": "\(database)"])
        }
    }

    /// Verifies passkeys, on systems with libfido2.
    private static var passkeyVerifier: (any PasskeyVerifier)? {
        #if canImport(FIDO)
            FIDOVerifier()
        #else
            nil
        #endif
    }

    private static func file(_ path: String?) throws -> Data? {
        guard let path else { return nil }
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ServerError(.malformed, "The configuration file \(path) cannot be read.", cause: error)
        }
    }

    private static func help(_ name: String) -> ArgumentHelp {
        guard let setting = ServerConfiguration.settings.first(where: { $0.name == name }) else { return "" }
        return "\(setting.meaning) [\(setting.variable)]"
    }
}
