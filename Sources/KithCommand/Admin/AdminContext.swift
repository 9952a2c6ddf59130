import Foundation
import KithModel
import KithServer

/// The dependencies of an operator's command: the server's database, its secret keys, and the console.
struct AdminContext: Sendable {
    private let opened: ServerDatabase
    private let keys: DiscoveryKeys
    private let discoveryKeyPath: String
    /// The folder to which messages are written without a gateway.
    let outboxPath: String
    let console: Console

    private init(
        _ files: ServerFiles, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        let configuration = try Self.configuration(naming: files, environment: environment)
        console = Console(isJSON: files.json, environment: environment)
        opened = try await ServerDatabase.open(
            besideServer: try DatabaseAddress(configuration.database), configuration.postgres)
        outboxPath = configuration.outboxPath
        discoveryKeyPath = configuration.discoveryKeyPath
        keys = DiscoveryKeys(file: URL(filePath: discoveryKeyPath))
    }

    /// The settings that name the server's files.
    static func configuration(
        naming files: ServerFiles, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerConfiguration {
        var flags: [String: String] = [:]
        flags["database"] = files.database
        flags["discovery-key-file"] = files.discoveryKeyFile
        let wanted = ["KITH_SERVE_DATABASE", "KITH_SERVE_DISCOVERY_KEY_FILE"]
        return try ServerConfiguration(
            flags: flags, environment: environment.filter { wanted.contains($0.key) })
    }

    /// Opens what the command needs, runs `body`, and closes it.
    static func using<Value: Sendable>(
        _ files: ServerFiles, _ body: (AdminContext) async throws -> Value
    ) async throws -> Value {
        let admin = try await AdminContext(files)
        do {
            let value = try await body(admin)
            try? await admin.opened.close()
            return value
        } catch {
            try? await admin.opened.close()
            throw error
        }
    }

    var database: any Database { opened.database }
    var accounts: AccountService { AccountService(database: database, signals: .none) }
    var operators: OperatorService { OperatorService(database: database) }
    var programmes: ProgrammeService { ProgrammeService(database: database) }
    var referrals: ReferralService { ReferralService(database: database) }
    var webhooks: WebhookService { WebhookService(database: database) }

    /// The secret keys, if they are the server's. If the database knows no keys yet, the file may be new.
    ///
    /// - Throws: ``Failure`` `otherKeys` if the file does not have the current key. With another key, nobody would be
    ///   found.
    func keysOfServer() async throws -> DiscoveryKeys {
        let known = try await DiscoveryUpkeep(database: database, keys: keys).status(at: Timestamp(.now)).keys
        guard let current = known.first(where: { $0.since != nil && $0.until == nil }) else { return keys }
        if try keys.names().contains(current.id) { return keys }
        throw Failure(
            .refused, "otherKeys",
            "\(discoveryKeyPath) is not the server's file of secret keys: it has not the key \(current.id). Nothing was changed. "
                + "Name the file that the server uses with --discovery-key-file. If that is lost, start the server without it: "
                + "ten minutes later it uses a new key, and all devices look for everybody again.")
    }

    /// Changes the register of identities in one transaction.
    func change<T: Sendable>(
        _ body: @escaping @Sendable (IdentityRegister, any Transaction) throws -> T
    ) async throws -> T {
        let register = IdentityRegister(keys: try await keysOfServer(), at: Timestamp(.now))
        return try await database.write { try body(register, $0) }
    }
}
