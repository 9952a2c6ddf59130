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
    func answer(_ desk: Desk) async throws -> Answer

    /// Whether the command itself says what it hides.
    static var saysWhatItHides: Bool { get }
}

extension ClientCommand {
    static var saysWhatItHides: Bool { false }

    mutating func run() async throws {
        let desk = try await Desk(options)
        let answer =
            try await Self.saysWhatItHides ? said(from: desk) : desk.tellingWhatIsHidden { try await said(from: desk) }
        try answer.end()
    }

    private func said(from desk: Desk) async throws -> Answer {
        let answer = try await reachingServer(from: desk)
        try desk.console.say(answer)
        return answer
    }

    /// The answer. Where it turns out to need a server and there is none, it says what to do.
    fileprivate func reachingServer(from desk: Desk) async throws -> Answer {
        do {
            return try await desk.advising { try await answer(desk) }
        } catch KithError.Code.noServer {
            try desk.requireServer()
            throw KithError(.noServer, "This needs a server.")
        }
    }
}

/// A command that changes something: saved here at once, then sent if the server can be reached.
protocol EditCommand: ClientCommand {
    /// Whether there is something to send when it is done: a command may also only show.
    func hasEdited(_ desk: Desk) async throws -> Bool
}

extension EditCommand {
    func hasEdited(_ desk: Desk) async throws -> Bool { true }

    mutating func run() async throws {
        let desk = try await Desk(options)
        let before = try await desk.client.rejections().count
        let answer = try await desk.tellingWhatIsHidden {
            let answer = try await reachingServer(from: desk)
            try desk.console.say(answer)
            if try await hasEdited(desk) { try await desk.send(rejectionsBefore: before) }
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
        var desk = try await Desk(options)
        if !desk.isOffline, let server = try await server(for: desk.place, desk.client) {
            desk = try await Desk(options, server: server)
            desk.console.note(
                "No server is set: this uses the link's own. To use it from now on: KITH_SERVER=\(server)")
        }
        try desk.requireServer()
        let answer = try await desk.tellingWhatIsHidden {
            let answer = try await desk.console.progress("Talking with the server") {
                try await desk.advising { try await self.answer(desk) }
            }
            try desk.console.say(answer)
            return answer
        }
        try answer.end()
    }
}

extension Answer {
    /// Ends the program with the answer's status, if that is not success.
    fileprivate func end() throws {
        if status != .done { throw ExitCode(status.rawValue) }
    }
}
