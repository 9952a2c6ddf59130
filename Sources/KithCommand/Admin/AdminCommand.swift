import ArgumentParser
import KithModel
import KithServer

/// `kith admin`: the operator's commands, which run on the server's machine beside the server.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Manage a server's accounts and programmes, on its machine.",
        discussion: """
            These commands work on the server's files. The server may run meanwhile: it sees what they have done with the \
            next request.
            """,
        subcommands: [
            IdentityCommand.self, AccountCommand.self, DiscoveryKeyCommand.self, OutboxCommand.self,
            MessageCommand.self, BounceCommand.self, SMSCommand.self, ProgrammeCommand.self, ReferralsCommand.self,
            FunnelCommand.self, WebhookCommand.self,
            OperatorCommand.self, BackupCommand.self, CheckCommand.self, CopyCommand.self,
        ])
}

extension Failure {
    /// Turns an error of the server into a failure of the operator's command.
    init(_ error: ServerError) {
        // To a device, a damaged database is busy. To the operator, it stays damaged until a backup is restored.
        let code = error.isDamage ? ServerError.damaged : error.code
        let status: ExitStatus =
            switch code {
            case .notFound: .notFound
            case .conflict, .tooMany: .refused
            case .malformed: .usage
            case .busy: .tryAgain
            case ServerError.diskFull: .diskFull
            default: .failed
            }
        self.init(status, code.rawValue, error.operatorSentence)
    }
}
