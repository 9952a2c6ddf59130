import ArgumentParser
import KithServer

/// A command of the operator: it opens the server's files, answers, and closes them.
protocol ServerFilesCommand: AsyncParsableCommand {
    var files: ServerFiles { get }

    /// Runs the command.
    func answer(_ admin: AdminContext) async throws -> CommandAnswer
}

extension ServerFilesCommand {
    mutating func run() async throws {
        do {
            let admin = try AdminContext(files)
            let answer = try await answer(admin)
            try admin.console.say(answer)
            try answer.end()
        } catch let error as ServerError {
            throw Failure(error)
        }
    }
}
