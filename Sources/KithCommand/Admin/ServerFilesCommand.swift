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
            let command = self
            let answer = try await AdminContext.using(files) { admin in
                let answer = try await command.answer(admin)
                try admin.console.conclude(with: answer)
                return answer
            }
            try answer.end()
        } catch let error as ServerError {
            throw Failure(error)
        }
    }
}
