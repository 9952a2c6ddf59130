import ArgumentParser
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
            try context.requireServer()
            throw KithError(.noServer, "This needs a server.")
        }
    }
}

extension CommandAnswer {
    /// Ends the program with the answer's status, if that is not success.
    func end() throws {
        if status != .done { throw ExitCode(status.rawValue) }
    }
}
