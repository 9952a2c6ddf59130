import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith sync`: sends what is waiting and fetches what is new, until nothing is left of either.
struct SyncCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is waiting and fetch what is new, now.",
        discussion: "Exit code 3 if the server cannot be reached, 5 if it refused something.")
    @Flag(help: "If the server opens a new session in place of one that it no longer accepts:") var choice: StoreChoice?
    @OptionGroup var options: GlobalOptions

    static var saysWhatItHides: Bool { true }

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        try context.requireServer()
        let (before, shown) = (try await context.client.rejections().count, try await context.shown())
        do {
            try await context.console.progress("Syncing") { try await context.client.syncNow() }
        } catch {
            await context.settleAfterFailure(since: shown, choice)
            throw error
        }
        let done = try await context.settleReplaced(since: shown, choice)
        if done == .move { try await context.client.syncNow() }
        try await context.reportRejections(after: before)
        let status = try await context.client.status()
        if done == nil { for advice in status.elsewhere { context.console.note(advice.printable) } }
        return CommandAnswer(
            .object(["status": status.json]),
            "In step with \(context.serverName)." + (status.waiting > 0 ? " \(status.waitingSentence)" : ""))
    }
}

/// `kith status`: how this device stands with the server.
struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how this device stands with the server.")
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let status = try await context.client.status()
        let place = context.place
        let session = try await context.sentence(on: status.session)
        let json = JSON.object([
            "status": status.json, "server": .text(orNull: place.server?.absoluteString),
            "data": .text(place.folder.path(percentEncoded: false)), "damaged": .list(place.damaged, JSON.text),
            "otherAccounts": .list(status.otherStores, \.json),
        ])
        return CommandAnswer(json) { colour in
            var table = Table()
            table.add(["Server", Table.Cell(place.server?.absoluteString ?? "none (--server or KITH_SERVER)")])
            table.add(["Data", Table.Cell(place.folder.path(percentEncoded: false))])
            table.add(["Session", Table.Cell(session)])
            for advice in status.elsewhere { table.add(["Elsewhere", Table.Cell(advice, .warning)]) }
            if status.account != nil || status.waiting > 0 {
                table.add(["Waiting", Table.Cell(status.waitingSentence, status.waiting > 0 ? .warning : .plain)])
            }
            table.add(["Last round", Table.Cell(status.lastRound?.day ?? "never")])
            if let error = status.lastError {
                table.add(["Last error", Table.Cell(error.sentence, .warning)])
                if status.session.isForServer {
                    table.add(["Next try", Table.Cell(status.retryAt?.second ?? "with the next command")])
                }
            }
            if status.rejections > 0 {
                let refused = "\(status.rejections.things("edit")); see: kith rejections"
                table.add(["Refused", Table.Cell(refused, .warning)])
            }
            for path in place.damaged { table.add(["Damaged, kept", Table.Cell(path, .warning)]) }
            return table.lines(colour: colour)
        }
    }
}

extension CommandContext {
    /// The server, as sentences call it.
    var serverName: String { place.server?.absoluteString ?? "the server" }
}

extension SyncStatus {
    /// How unsent edits in other stores of the device are sent, and how to see what was refused there.
    var elsewhere: [String] {
        otherStores.flatMap { [$0.sendingAdvice, $0.rejectionsAdvice].compactMap(\.self) }
    }

    /// “Everything is sent.”, or how many edits wait, and since when.
    var waitingSentence: String {
        guard waiting > 0 else {
            return unsentElsewhere.isEmpty ? "Everything is sent." : "Nothing in this account; see Elsewhere."
        }
        let since = oldestWaiting.map { ", the oldest since \($0.day)" } ?? ""
        return "\(waiting.things("edit")) \(waiting == 1 ? "waits" : "wait") to be sent\(since)."
    }

    /// When a server that is busy wants to be asked again, if that is still to come.
    var busyUntil: Date? {
        guard lastError?.code == .busy, let retryAt else { return nil }
        // Further ahead than that, the clock was set back.
        return (0...RetrySchedule.longestPause / .seconds(1)).contains(retryAt.timeIntervalSinceNow) ? retryAt : nil
    }

    var json: JSON {
        .object([
            "session": .text(session.rawValue), "account": .text(orNull: account?.description),
            "waiting": .count(waiting), "oldestWaiting": .moment(oldestWaiting), "lastRound": .moment(lastRound),
            "lastError": lastError.map {
                .object(["code": .text($0.code.rawValue), "sentence": .text($0.sentence)])
            } ?? .null,
            "retryAt": .moment(retryAt), "rejections": .count(rejections), "syncing": .flag(isSyncing),
            "hasSynced": .flag(hasSynced),
        ])
    }
}

extension SessionState {
    /// Whether the server is asked again before somebody opens another session.
    fileprivate var isForServer: Bool {
        switch self {
        case .initial, .anonymous, .identified, .serverError: true
        case .loggedOut, .invalidToken, .inactive: false
        }
    }

    /// The state in a sentence.
    package var sentence: String {
        switch self {
        case .initial: "None yet. The first round with a server opens one."
        case .anonymous: "Anonymous."
        case .identified: "Signed in."
        case .loggedOut: "Logged out. What you edit now stays on this device; for a new session: kith session new"
        case .invalidToken:
            "The server no longer accepts it. Everything is kept here; for a new session, which can take it: kith session new"
        case .serverError: "Open, but the server is failing."
        case .inactive:
            "The account was deleted. Its lists are kept here; for a new one, which can take them: kith session new"
        }
    }
}
