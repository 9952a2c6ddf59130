import ArgumentParser
import Foundation
import Kith
import KithModel

/// A command of the client: it opens the client that the options name, answers, and closes it.
///
/// Errors are thrown; the program turns them into a sentence and an exit code.
protocol ClientCommand: AsyncParsableCommand {
    var options: GlobalOptions { get }

    /// Runs the command.
    func answer(_ context: CommandContext) async throws -> CommandAnswer
}

extension ClientCommand {
    mutating func run() async throws {
        let context = try await CommandContext(options)
        try await context.settlement.tellingWhatIsHidden { try await printedAnswer(from: context) }.end()
    }

    /// The answer, after it was printed.
    func printedAnswer(from context: CommandContext) async throws -> CommandAnswer {
        let answer = try await reachingServer(from: context)
        try context.console.conclude(with: answer)
        return answer
    }

    /// The answer. If the command turns out to need a server and none is set, the error says what to do.
    func reachingServer(from context: CommandContext) async throws -> CommandAnswer {
        do {
            return try await context.sessionAdvice.advising { try await answer(context) }
        } catch KithError.Code.noServer {
            try await context.requireServer()
            throw KithError(.noServer, "This needs a server.")
        }
    }

    /// The context of a command that uses a link: with the link's server if none is set. If the device's account
    /// belongs to another server, the link's server is not used, so that it gets no data of the account.
    func reaching(_ linkServer: URL?, from plain: CommandContext) async throws -> CommandContext {
        guard let linkServer, plain.location.server == nil, !plain.isOffline else { return plain }
        let status = try await plain.client.status()
        guard status.account == nil || status.address == linkServer else { return plain }
        let context = try await CommandContext(options, server: linkServer)
        context.console.note(
            "No server is set: this uses the link's own. To use it from now on: KITH_SERVER=\(linkServer)")
        return context
    }
}

extension CommandAnswer {
    /// Ends the program with the answer's status, if that is not success.
    func end() throws {
        if status != .done { throw ExitCode(status.rawValue) }
    }
}
