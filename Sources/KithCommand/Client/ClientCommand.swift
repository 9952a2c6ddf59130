import ArgumentParser
import Foundation
import Kith
import KithModel

/// A command of the client: it opens the client that the options name, answers, and closes it.
///
/// Errors are thrown; the program turns them into a sentence and an exit code.
protocol ClientCommand: AsyncParsableCommand {
    var options: GlobalOptions { get }

    /// Does what the command is for.
    func answer(_ context: CommandContext) async throws -> CommandAnswer

    /// Whether the command itself says what it hides.
    static var saysWhatItHides: Bool { get }
}

extension ClientCommand {
    static var saysWhatItHides: Bool { false }

    mutating func run() async throws {
        let context = try await CommandContext(options)
        let answer =
            try await Self.saysWhatItHides
            ? said(from: context) : context.tellingWhatIsHidden { try await said(from: context) }
        try answer.end()
    }

    private func said(from context: CommandContext) async throws -> CommandAnswer {
        let answer = try await reachingServer(from: context)
        try context.console.say(answer)
        return answer
    }

    /// The answer. Where it turns out to need a server and there is none, it says what to do.
    fileprivate func reachingServer(from context: CommandContext) async throws -> CommandAnswer {
        do {
            return try await context.advising { try await answer(context) }
        } catch KithError.Code.noServer {
            try context.requireServer()
            throw KithError(.noServer, "This needs a server.")
        }
    }
}

/// A command that changes something: saved here at once, then sent if the server can be reached.
protocol EditCommand: ClientCommand {
    /// Whether there is something to send when it is done: a command may also only show.
    func hasEdited(_ context: CommandContext) async throws -> Bool
}

extension EditCommand {
    func hasEdited(_ context: CommandContext) async throws -> Bool { true }

    mutating func run() async throws {
        let context = try await CommandContext(options)
        let before = try await context.client.rejections().count
        let answer = try await context.tellingWhatIsHidden {
            let answer = try await reachingServer(from: context)
            try context.console.say(answer)
            if try await hasEdited(context) { try await context.send(rejectionsBefore: before) }
            return answer
        }
        try answer.end()
    }
}

/// A command that talks with the server, and can do nothing without it.
protocol OnlineCommand: ClientCommand {
    /// The server to use where the options and the environment name none; nil if there is none.
    func server(for place: Place, _ client: KithClient) async throws -> URL?
}

extension OnlineCommand {
    func server(for place: Place, _ client: KithClient) async throws -> URL? { nil }

    mutating func run() async throws {
        var context = try await CommandContext(options)
        if !context.isOffline, let server = try await server(for: context.place, context.client) {
            context = try await CommandContext(options, server: server)
            context.console.note(
                "No server is set: this uses the link's own. To use it from now on: KITH_SERVER=\(server)")
        }
        try context.requireServer()
        let answer = try await context.tellingWhatIsHidden {
            let answer = try await context.console.progress("Talking with the server") {
                try await context.advising { try await self.answer(context) }
            }
            try context.console.say(answer)
            return answer
        }
        try answer.end()
    }
}

extension CommandAnswer {
    /// Ends the program with the answer's status, if that is not success.
    fileprivate func end() throws {
        if status != .done { throw ExitCode(status.rawValue) }
    }
}
