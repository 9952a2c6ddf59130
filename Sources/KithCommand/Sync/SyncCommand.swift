import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith sync`: sends the waiting edits and fetches changes until both are complete.
struct SyncCommand: SwitchingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is waiting and fetch what is new, now.",
        discussion: """
            Without --server and KITH_SERVER, this uses the account's own server.

            Exit code 3 if the server cannot be reached, 5 if it refused something.
            """)
    @Flag(help: "If the server opens a new session in place of one that it no longer accepts:") var choice: StoreChoice?
    @OptionGroup var options: GlobalOptions

    mutating func run() async throws { try await run(in: CommandContext(options, usesOwnServer: true)) }

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        try await context.requireServer()
        let known = Set(try await context.client.rejections().map(\.id))
        let shown = try await context.client.shownScope()
        do {
            try await context.console.progress("Syncing") { try await context.client.syncNow() }
        } catch {
            await context.settlement.settleAfterFailure(since: shown, choice)
            throw error
        }
        let done = try await context.settlement.settleReplaced(since: shown, choice)
        if done == .move { try await context.client.syncNow() }
        try await context.unsentEdits.reportRejections(after: known)
        let status = try await context.client.status()
        if done == nil { for advice in status.elsewhere { context.console.note(advice.printable) } }
        return CommandAnswer(
            ["status": status.shape],
            "In step with \(context.serverName)." + (status.waiting > 0 ? " \(status.waitingSentence)" : ""))
    }
}

extension SyncStatus {
    /// How to send unsent edits in other stores of the device, and how to see their rejections.
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

    /// The time at which a busy server may be asked again, if it is in the future.
    var busyUntil: Date? {
        guard lastError?.code == .busy, let retryAt else { return nil }
        // If the time is further ahead than the longest pause, the clock was set back.
        return (0...RetrySchedule.longestPause / .seconds(1)).contains(retryAt.timeIntervalSinceNow) ? retryAt : nil
    }

    var shape: Shape {
        [
            "session": session.rawValue, "account": account, "waiting": waiting, "oldestWaiting": oldestWaiting,
            "lastRound": lastRound,
            "lastError": lastError.map { ["code": $0.code.rawValue, "sentence": $0.sentence] },
            "retryAt": retryAt, "rejections": rejections, "syncing": isSyncing, "hasSynced": hasSynced,
        ]
    }
}

extension SessionState {
    /// Whether the client contacts the server again without a new session.
    var isForServer: Bool {
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
        case .loggedOut:
            """
            Logged out. Edits stay on this device. To sign in: \(SignInCommands.all). For a new anonymous session: kith \
            session new
            """
        case .invalidToken:
            """
            The server no longer accepts it. The data stays on this device. To \(SignInCommands.again). For a new anonymous \
            session, which can take over the lists: kith session new
            """
        case .serverError: "Open, but the server is failing."
        case .inactive:
            "The account was deleted. Its lists are kept here; for a new one, which can take them: kith session new"
        }
    }
}
