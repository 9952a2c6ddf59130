import Foundation
import Kith
import KithAddressBook
import KithModel

/// The dependencies of a command: the client, the console, and the command's location.
struct CommandContext: Sendable {
    let client: KithClient
    let console: Console
    let location: CommandLocation
    let isOffline: Bool
    /// The store that `--account` names, if it is not the current one. The client then works only with that store.
    let only: AccountScope?

    /// How long a command waits for an answer that it can do without. A wrong value of the variable ends the command before.
    static let answerTimeout =
        (try? AnswerTimeout.duration(ProcessInfo.processInfo.environment)) ?? AnswerTimeout.standard

    /// A context for these options. `server` takes precedence over the options and the environment.
    init(
        _ options: GlobalOptions, server: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        _ = try AnswerTimeout.duration(environment)
        var options = options
        if let server { options.server = server.absoluteString }
        var location = try CommandLocation(options, environment: environment)
        console = Console(isJSON: options.json, environment: environment)
        isOffline = options.offline
        do {
            var scope: AccountScope?
            if let account = options.account {
                let device = try KithClient(KithConfiguration(storage: .directory(location.folder)))
                let stores = try await device.accounts.all()
                let named = try StoreReference(text: account).resolve(among: stores)
                let store = stores.first { $0.scope == named }
                // The current store does not need a separate client.
                scope = store?.isCurrent == true ? nil : named
                location = try await Self.reachable(named, location, location.leading(to: store?.address), options)
            }
            self.location = location
            only = scope
            // Offline, the client asks the server for nothing, not even for data that is fetched on demand.
            var configuration = KithConfiguration(
                server: options.offline ? nil : location.server, storage: .directory(location.folder))
            configuration.isOffline = options.offline
            configuration.account = scope
            configuration.keepsLastRemoval = true
            client = try KithClient(configuration)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw Failure(
                .diskFull, "diskFull", "The disk is full, so no folder was made. Free some space and try again.")
        } catch is CocoaError {
            throw Failure(
                .failed, "folder",
                "The folder \(location.folder.path(percentEncoded: false)) cannot be made. Is it yours?")
        }
        if let note = client.noteOfDamage { console.note(note) }
    }

    /// The location whose server is used for an account: the address where the account was last reached, or else
    /// `location`, if that address does not answer or belongs to another server. As always, the client checks the
    /// server's id.
    private static func reachable(
        _ scope: AccountScope, _ location: CommandLocation, _ known: CommandLocation, _ options: GlobalOptions
    ) async throws -> CommandLocation {
        guard location.server != nil, location.server != known.server, !options.offline else { return known }
        let client = try known.client(of: scope, at: known.server)
        do {
            _ = try await within(answerTimeout) { try await client.session.verify() }
        } catch let error as KithError where [.offline, .otherServer].contains(error.code) {
            return location
        } catch is TookTooLong {
            return location
        } catch is KithError {
            // The server answers, or there is no session to verify. The command itself reports the error.
        }
        return known
    }

    var lists: Lists { client.lists }

    /// Stops a command that needs the server if none is set.
    func requireServer() throws {
        if location.server == nil {
            throw Failure(.offline, "noServer", "This needs a server. Name it with --server or KITH_SERVER.")
        }
        if isOffline {
            throw Failure(.offline, "offline", "This needs the server. Repeat the command without --offline.")
        }
    }

    /// Makes edits with `body`, then tries briefly to send them: see ``send(rejectionsBefore:)``.
    func sending<Value>(_ body: () async throws -> Value) async throws -> Value {
        let before = try await client.rejections().count
        let value = try await body()
        try await send(rejectionsBefore: before)
        return value
    }

    /// Tries briefly to send the waiting edits. Edits that cannot be sent now stay saved, and a note reports that. An
    /// edit that the server refuses is an error.
    ///
    /// If the server has named a time for the next attempt, the edits are not sent before. If it could not be reached, the
    /// command tries again.
    func send(rejectionsBefore before: Int) async throws {
        guard location.server != nil, !isOffline else { return }
        let status = try await client.status()
        if status.session == .inactive {
            let sentence = try await sentence(on: status.session)
            return console.note("What was edited now stays on this device. \(sentence)")
        }
        if status.waiting > 0, let time = status.busyUntil { return await noteBusy(until: time) }
        do {
            try await console.progress("Sending") {
                try await within(Self.answerTimeout) { try await client.syncNow() }
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
            await noteWaiting(because: await failure(error).sentence)
        }
        try await reportRejections(after: before)
    }

    /// Tries briefly to sync. If that fails, the command continues with what earlier rounds have received.
    func syncBriefly() async {
        try? await within(Self.answerTimeout) { try await client.syncNow() }
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

extension Int {
    /// “1 change”, “2 changes”.
    package func things(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
