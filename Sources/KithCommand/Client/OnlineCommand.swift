import ArgumentParser
import Foundation
import Kith
import KithModel

/// A command that cannot work without the server.
protocol OnlineCommand: ClientCommand {
    /// The server to use if the options and the environment name none; nil if there is none.
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
