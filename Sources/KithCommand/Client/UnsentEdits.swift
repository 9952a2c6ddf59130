import Foundation
import Kith
import KithModel
import Synchronization

/// The edits that wait to be sent, as commands handle them: they try briefly to send them, and note what still waits.
final class UnsentEdits: Sendable {
    private let client: KithClient
    private let console: Console
    private let advice: SessionAdvice
    /// Whether the command may ask a server.
    private let asksServer: Bool
    private let isOffline: Bool
    /// Whether a note has named the command that asks the account's own server.
    private let hasNotedServer = Mutex(false)

    init(client: KithClient, console: Console, advice: SessionAdvice, server: URL?, isOffline: Bool) {
        (self.client, self.console, self.advice) = (client, console, advice)
        (asksServer, self.isOffline) = (server != nil && !isOffline, isOffline)
    }

    /// What was refused and what was unsent before a command's edits.
    struct Before: Sendable {
        let rejections: Set<Rejection.ID>
        let unsent: [MutationID: Mutation.Change]
    }

    /// The state before the command's edits, for ``send(after:)``.
    func before() async throws -> Before {
        // Offline, nothing is refused.
        guard asksServer else { return Before(rejections: [], unsent: [:]) }
        return Before(
            rejections: Set(try await client.rejections().map(\.id)), unsent: try await client.unsentChanges())
    }

    /// Tries briefly to send the waiting edits. Edits that cannot be sent now stay saved, and a note reports that. An
    /// edit of the command that the server refuses is an error. For edits that waited before, a note reports that.
    ///
    /// If the server has named a time for the next attempt, the edits are not sent before. If it could not be reached, the
    /// command tries again. If the command names no server, a note says how to send them to that of the account.
    func send(after before: Before) async throws {
        guard asksServer else { return await noteOwnServer() }
        // An edit of the command can have become part of one that waited before. One that is gone was sent by another program.
        let unsent = try await client.unsentChanges()
        let others = before.unsent.filter { (unsent[$0.key] ?? $0.value) == $0.value }
        let status = try await client.status()
        if status.session == .inactive {
            let sentence = try await advice.sentence(on: status.session)
            return console.note("What was edited now stays on this device. \(sentence)")
        }
        if status.waiting > 0, let time = status.busyUntil { return await noteBusy(until: time) }
        do {
            try await console.progress("Sending") { [client] in
                try await within(CommandContext.answerTimeout) { try await client.syncNow() }
            }
        } catch let error as KithError where error.code == .offline {
            await noteWaiting(because: error.isUnreachable ? "The server cannot be reached." : error.sentence)
        } catch let error as KithError where ExitStatus(error.code) == .offline {
            await noteWaiting(because: nil)
        } catch is TookTooLong {
            await noteWaiting(because: nil)
        } catch let error as KithError where error.code == .otherServer {
            await noteKept(because: error.sentence)
        } catch let error as KithError {
            await noteWaiting(because: await advice.failure(error).sentence)
        }
        try await reportRejections(after: before.rejections, of: Set(others.keys))
    }

    /// Notes that the server has asked to wait, and how many edits wait.
    func noteBusy(until time: Date) async {
        await noteWaiting(because: "The server is busy until \(time.second); “kith sync” asks it sooner.")
    }

    private func noteWaiting(because reason: String?) async {
        let count = (try? await client.status().waiting) ?? 0
        guard count > 0 || reason != nil else { return }
        let waiting =
            count == 0 ? nil : "Saved here; \(count.things("change")) \(count == 1 ? "waits" : "wait") to be sent."
        let sentences = [reason?.printable, waiting].compactMap(\.self)
        // A reason that ends with a command has no full stop, so nothing follows it.
        let isOpen = reason?.hasSuffix(".") == false
        console.note((isOpen ? sentences.reversed() : sentences).joined(separator: " "))
    }

    /// Notes once that edits wait because no server is named, and which command asks the account's own.
    private func noteOwnServer() async {
        guard !isOffline, let shown = try? await client.shownScope(),
            let store = try? await client.accounts.store(shown), store.address != nil, store.state != .inactive,
            store.waiting > 0
        else { return }
        let isFirst = hasNotedServer.withLock { isNoted in
            defer { isNoted = true }
            return !isNoted
        }
        if isFirst { await noteWaiting(because: "To send \(store.waiting == 1 ? "it" : "them"): kith sync") }
    }

    /// Notes that the edit is saved, and why the account's edits are not sent.
    private func noteKept(because reason: String) async {
        let count = (try? await client.status().waiting) ?? 0
        let cause = reason.hasPrefix("The ") ? "the " + reason.dropFirst(4) : reason
        let others = count > 1 ? " \(count.things("change")) wait to be sent." : ""
        console.note("The edit is saved here and waits: \(cause)\(others)".printable)
    }

    /// Fails if the server has refused something besides the `known` rejections. If it has refused only edits of `others`, a
    /// note reports that.
    func reportRejections(after known: Set<Rejection.ID>, of others: Set<MutationID> = []) async throws {
        // If another program shows another account, its rejections are not those of the command.
        guard (try? await client.replica.currentAccount()) != nil else { return }
        let new = try await client.rejections().filter { !known.contains($0.id) }
        let own = new.filter { !others.contains($0.id) }
        if let newest = own.max(by: { $0.date < $1.date }) {
            let sentence = "The server refused \(own.count.things("change")) (\(newest.what())): \(newest.sentence)"
            throw Failure(.refused, newest.code.rawValue, "\(sentence) \(Self.whereToLook)")
        }
        guard let newest = new.max(by: { $0.date < $1.date }) else { return }
        let refused = "The server refused \(new.count.things("earlier change")) (\(newest.what())): \(newest.sentence)"
        console.note("\(refused) \(Self.whereToLook)".printable)
    }

    private static let whereToLook = "“kith rejections” shows what was lost."
}
