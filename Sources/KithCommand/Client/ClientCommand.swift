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
}

extension ClientCommand {
    mutating func run() async throws {
        let desk = try Desk(options)
        let answer = try await reachingServer(from: desk)
        try desk.console.say(answer)
        try answer.end()
    }

    /// The answer. Where it turns out to need a server and there is none, it says what to do.
    fileprivate func reachingServer(from desk: Desk) async throws -> Answer {
        do {
            return try await answer(desk)
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
        let desk = try Desk(options)
        let before = try await desk.client.rejections().count
        let answer = try await reachingServer(from: desk)
        try desk.console.say(answer)
        if try await hasEdited(desk) { try await desk.send(rejectionsBefore: before) }
        try answer.end()
    }
}

/// A command that talks with the server, and can do nothing without it.
protocol OnlineCommand: ClientCommand {}

extension OnlineCommand {
    mutating func run() async throws {
        let desk = try Desk(options)
        try desk.requireServer()
        let answer = try await desk.console.progress("Talking with the server") { try await self.answer(desk) }
        try desk.console.say(answer)
        try answer.end()
    }
}

extension Answer {
    /// Ends the program with the answer's status, if that is not success.
    fileprivate func end() throws {
        if status != .done { throw ExitCode(status.rawValue) }
    }
}

/// What a command works with: the client, the console, and the place where both are.
struct Desk: Sendable {
    let client: KithClient
    let console: Console
    let place: Place
    let isOffline: Bool

    /// How long an edit waits for the server: a person is waiting too.
    static let patience = Duration.seconds(4)

    init(_ options: GlobalOptions, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        place = try Place(options, environment: environment)
        console = Console(isJSON: options.json, environment: environment)
        isOffline = options.offline
        do {
            // Offline nothing is asked, also not what is fetched when it is looked at.
            var configuration = KithConfiguration(
                server: options.offline ? nil : place.server, storage: .directory(place.folder))
            configuration.isOffline = options.offline
            client = try KithClient(configuration)
        } catch is CocoaError {
            throw Failure(
                .failed, "folder", "The folder \(place.folder.path(percentEncoded: false)) cannot be made. Is it yours?"
            )
        }
        if let note = client.noteOfDamage { console.note(note) }
    }

    var lists: Lists { client.lists }

    /// Stops a command that needs the server where there is none.
    func requireServer() throws {
        if place.server == nil {
            throw Failure(.offline, "noServer", "This needs a server. Name it with --server or KITH_SERVER.")
        }
        if isOffline {
            throw Failure(.offline, "offline", "This needs the server. Repeat the command without --offline.")
        }
    }

    /// Tries for a moment to send what is waiting. What cannot be sent now stays
    /// saved, and a note says so; what the server refuses is an error.
    ///
    /// A server that has said when to come again is left alone until then: only
    /// `kith sync` asks it sooner. One that could not be reached is tried anew.
    func send(rejectionsBefore before: Int) async throws {
        guard place.server != nil, !isOffline else { return }
        let status = try await client.status()
        if status.session == .inactive {
            return console.note("\(status.session.sentence) What was edited now stays on this device.")
        }
        if status.waiting > 0, let time = status.busyUntil {
            return await noteWaiting(because: "The server is busy until \(time.second); “kith sync” asks it sooner.")
        }
        do {
            try await console.progress("Sending") { try await within(Self.patience) { try await client.syncNow() } }
        } catch let error as KithError where error.code == .offline {
            await noteWaiting(because: "The server cannot be reached.")
        } catch let error as KithError where Ending(error.code) == .offline {
            await noteWaiting(because: nil)
        } catch is TookTooLong {
            await noteWaiting(because: nil)
        } catch let error as KithError {
            await noteWaiting(because: error.sentence)
        }
        try await reportRejections(after: before)
    }

    private func noteWaiting(because reason: String?) async {
        let count = (try? await client.status().waiting) ?? 0
        guard count > 0 || reason != nil else { return }
        let waiting =
            count == 0 ? nil : "Saved here; \(count.things("change")) \(count == 1 ? "waits" : "wait") to be sent."
        console.note([reason?.printable, waiting].compactMap(\.self).joined(separator: " "))
    }

    /// Fails if the server has refused something since there were `before` rejections.
    func reportRejections(after before: Int) async throws {
        let rejections = try await client.rejections()
        guard rejections.count > before, let newest = rejections.max(by: { $0.date < $1.date }) else { return }
        throw Failure(
            .refused, newest.code.rawValue,
            "The server refused \((rejections.count - before).things("change")): \(newest.sentence) "
                + "“kith rejections” shows what was lost.")
    }
}

extension Int {
    /// “1 change”, “2 changes”.
    package func things(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
