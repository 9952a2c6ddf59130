import ArgumentParser
import Foundation
import KithModel
import KithServer

/// `kith admin`: the operator's commands, which run on the server's machine beside the server.
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

extension Failure {
    /// Turns an error of the server into a failure of the operator's command.
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
