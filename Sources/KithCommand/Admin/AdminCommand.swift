import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin`: what the operator does on the server's machine, beside the server.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Look after a server's accounts, on its own machine.",
        discussion: """
            These commands work on the server's files. The server may run meanwhile: it sees what they have done with the \
            next request.
            """,
        subcommands: [IdentityCommand.self, AccountCommand.self, DiscoveryKeyCommand.self])
}

/// The server's files, as `kith serve` names them.
struct ServerFiles: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's database (kith-server.sqlite). [KITH_SERVE_DATABASE]", valueName: "file"),
        completion: .file())
    var database: String?
    @Option(
        help: ArgumentHelp(
            "The file of the secret keys of discovery. [KITH_SERVE_DISCOVERY_KEY_FILE]", valueName: "file"),
        completion: .file())
    var discoveryKeyFile: String?
    @Flag(help: "Answer in JSON.") var json = false
}

/// A command of the operator: it opens the server's files, answers, and closes them.
protocol ServerFilesCommand: AsyncParsableCommand {
    var files: ServerFiles { get }

    /// Does what the command is for.
    func answer(_ office: Office) async throws -> CommandAnswer
}

extension ServerFilesCommand {
    mutating func run() async throws {
        do {
            let office = try Office(files)
            try office.console.say(try await answer(office))
        } catch let error as ServerError {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// The failure that an error of the server's is to whoever works on its files.
    init(_ error: ServerError) {
        let status: ExitStatus =
            switch error.code {
            case .notFound: .notFound
            case .conflict, .tooMany: .refused
            case .malformed: .usage
            default: .failed
            }
        self.init(status, error.code.rawValue, error.sentence)
    }
}

/// What a command of the operator works with: the server's database, its secret keys, and the console.
struct Office: Sendable {
    let database: SQLiteDatabase
    private let keys: DiscoveryKeys
    private let placeOfKeys: String
    let console: Console

    init(_ files: ServerFiles, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        var flags: [String: String] = [:]
        flags["database"] = files.database
        flags["discovery-key-file"] = files.discoveryKeyFile
        let wanted = ["KITH_SERVE_DATABASE", "KITH_SERVE_DISCOVERY_KEY_FILE"]
        let configuration = try ServerConfiguration(
            flags: flags, environment: environment.filter { wanted.contains($0.key) && !$0.value.isEmpty })
        console = Console(isJSON: files.json, environment: environment)
        database = try SQLiteDatabase(besideServer: configuration.database)
        placeOfKeys = configuration.placeOfDiscoveryKeys
        keys = DiscoveryKeys(file: URL(filePath: placeOfKeys))
    }

    /// The secret keys, if they are the server's. A file is made for a database that knows no keys yet.
    ///
    /// - Throws: ``Failure`` `otherKeys` if the file has not the key under which people are found now: under another, nobody
    ///   would be.
    func keysOfServer() async throws -> DiscoveryKeys {
        let known = try await DiscoveryUpkeep(database: database, keys: keys).status().keys
        guard let current = known.first(where: { $0.since != nil && $0.until == nil }) else { return keys }
        if try keys.names().contains(current.id) { return keys }
        throw Failure(
            .refused, "otherKeys",
            "\(placeOfKeys) is not the server's file of secret keys: it has not the key \(current.id). Nothing was changed. "
                + "Name the file that the server uses with --discovery-key-file. If that is lost, start the server without it: "
                + "it makes new keys, and all devices look for everybody again.")
    }

    /// Changes the register of identities in one transaction.
    func change<T: Sendable>(
        _ body: @escaping @Sendable (IdentityRegister, any Transaction) throws -> T
    ) async throws -> T {
        let register = IdentityRegister(keys: try await keysOfServer().all(), at: Timestamp(.now))
        return try await database.write { try body(register, $0) }
    }
}
