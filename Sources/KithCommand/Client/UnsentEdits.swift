import Foundation
import Kith
import KithModel

/// The edits that wait to be sent, as commands handle them: they try briefly to send them, and note what still waits.
struct UnsentEdits: Sendable {
    let client: KithClient
    let console: Console
    let advice: SessionAdvice
    /// Whether the command may ask a server.
    let asksServer: Bool

    /// Tries briefly to send the waiting edits. Edits that cannot be sent now stay saved, and a note reports that. An
    /// edit that the server refuses is an error.
    ///
    /// If the server has named a time for the next attempt, the edits are not sent before. If it could not be reached, the
    /// command tries again.
    func send(rejectionsBefore before: Int) async throws {
        guard asksServer else { return }
        let status = try await client.status()
        if status.session == .inactive {
            let sentence = try await advice.sentence(on: status.session)
            return console.note("What was edited now stays on this device. \(sentence)")
        }
        if status.waiting > 0, let time = status.busyUntil { return await noteBusy(until: time) }
        do {
            try await console.progress("Sending") {
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
        try await reportRejections(after: before)
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

    /// Notes that the edit is saved, and why the account's edits are not sent.
    private func noteKept(because reason: String) async {
        let count = (try? await client.status().waiting) ?? 0
        let cause = reason.hasPrefix("The ") ? "the " + reason.dropFirst(4) : reason
        let others = count > 1 ? " \(count.things("change")) wait to be sent." : ""
        console.note("The edit is saved here and waits: \(cause)\(others)".printable)
    }

    /// Fails if the server has refused something since there were `before` rejections.
    func reportRejections(after before: Int) async throws {
        let rejections = try await client.rejections()
        guard rejections.count > before, let newest = rejections.max(by: { $0.date < $1.date }) else { return }
        throw Failure(
            .refused, newest.code.rawValue,
            "The server refused \((rejections.count - before).things("change")) (\(newest.what())): \(newest.sentence) "
                + "“kith rejections” shows what was lost.")
    }
}
