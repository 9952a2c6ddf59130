import ArgumentParser
import Foundation
import Kith
import KithModel

/// A command that cannot work without the server.
protocol OnlineCommand: ClientCommand {
    /// The server of the link that the command uses; nil if it uses none.
    var linkServer: URL? { get }
}

extension OnlineCommand {
    var linkServer: URL? { nil }

    mutating func run() async throws {
        let context = try await reaching(linkServer, from: CommandContext(options))
        let answer = try await namingAccount(at: linkServer, context) {
            try await context.requireServer()
            return try await context.settlement.tellingWhatIsHidden {
                let answer = try await context.console.progress("Talking with the server") {
                    try await context.sessionAdvice.advising { try await self.answer(context) }
                }
                try context.console.conclude(with: answer)
                return answer
            }
        }
        try answer.end()
    }

    /// Does `work`. If it fails because a link belongs to another server than the account, the error names the accounts that
    /// this device has on the link's server.
    private func namingAccount<Done>(
        at linkServer: URL?, _ context: CommandContext, _ work: () async throws -> Done
    ) async throws -> Done {
        do {
            return try await work()
        } catch {
            guard let linkServer, let failure = Failure(error), ["noServer", "otherServer"].contains(failure.code),
                let own = try? await context.client.shownScope(),
                let stores = try? await context.client.accounts.all()
            else { throw error }
            let options = stores.filter { $0.address == linkServer && $0.scope != own && $0.canSend }
                .map { "--account \($0.scope.typed)" }
            if options.isEmpty { throw error }
            // Without the general advice of the failure, which ends with a command.
            let reason = (error as? KithError)?.sentence ?? failure.sentence
            let way = "This device has an account on the link's server. Repeat the command with "
            throw Failure(failure.status, failure.code, "\(reason) \(way)\(options.joined(separator: " or ")).")
        }
    }
}
