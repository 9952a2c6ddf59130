import ArgumentParser
import Foundation
import KithModel
import KithServer

/// A command of the operator: it opens the server's files, answers, and closes them.
protocol ServerFilesCommand: AsyncParsableCommand {
    var files: ServerFiles { get }

    /// Runs the command.
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
