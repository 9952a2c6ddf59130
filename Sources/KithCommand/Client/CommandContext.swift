import Foundation
import Kith
import KithAddressBook
import KithModel

/// What a command works with: the client, the console, and the place where both are.
struct CommandContext: Sendable {
    let client: KithClient
    let console: Console
    let place: Place
    let isOffline: Bool
    /// The store that `--account` names, if it is not the current one: the client works with that one only.
    let only: AccountScope?

    /// How long an edit waits for the server: a person is waiting too.
    static let patience = Duration.seconds(4)

    /// A context for these options. `server` is used whatever they and the environment name.
    init(
        _ options: GlobalOptions, server: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        var options = options
        if let server { options.server = server.absoluteString }
        var place = try Place(options, environment: environment)
        console = Console(isJSON: options.json, environment: environment)
        isOffline = options.offline
        do {
            var scope: AccountScope?
            if let account = options.account {
                let stores = try await KithClient(KithConfiguration(storage: .directory(place.folder))).accounts.all()
                let named = try StoreReference(text: account).resolve(among: stores)
                let store = stores.first { $0.scope == named }
                // The current one needs no client of its own.
                scope = store?.isCurrent == true ? nil : named
                place = try await Self.reachable(named, place, place.leading(to: store?.address), options)
            }
            self.place = place
            only = scope
            // Offline nothing is asked, also not what is fetched when it is looked at.
            var configuration = KithConfiguration(
                server: options.offline ? nil : place.server, storage: .directory(place.folder))
            configuration.isOffline = options.offline
            configuration.account = scope
            configuration.keepsLastRemoval = true
            client = try KithClient(configuration)
        } catch is CocoaError {
            throw Failure(
                .failed, "folder", "The folder \(place.folder.path(percentEncoded: false)) cannot be made. Is it yours?"
            )
        }
        if let note = client.noteOfDamage { console.note(note) }
    }

    /// The place whose server is asked for an account: where the account was last reached, or else `place`, if that
    /// address is dead or another server's. Which server answers there is checked by its id, as always.
    private static func reachable(
        _ scope: AccountScope, _ place: Place, _ known: Place, _ options: GlobalOptions
    ) async throws -> Place {
        guard place.server != nil, place.server != known.server, !options.offline else { return known }
        var configuration = KithConfiguration(server: known.server, storage: .directory(known.folder))
        configuration.account = scope
        let client = try KithClient(configuration)
        do {
            _ = try await within(patience) { try await client.session.verify() }
        } catch let error as KithError where [.offline, .otherServer].contains(error.code) {
            return place
        } catch is TookTooLong {
            return place
        } catch is KithError {
            // It answers, or there is nothing to ask it: the command itself says so.
        }
        return known
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
    /// `kith sync` asks it sooner. One that could not be reached is tried again.
    func send(rejectionsBefore before: Int) async throws {
        guard place.server != nil, !isOffline else { return }
        let status = try await client.status()
        if status.session == .inactive {
            let sentence = try await sentence(on: status.session)
            return console.note("\(sentence) What was edited now stays on this device.")
        }
        if status.waiting > 0, let time = status.busyUntil {
            return await noteWaiting(because: "The server is busy until \(time.second); “kith sync” asks it sooner.")
        }
        do {
            try await console.progress("Sending") { try await within(Self.patience) { try await client.syncNow() } }
        } catch let error as KithError where error.code == .offline {
            await noteWaiting(because: "The server cannot be reached.")
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

    private func noteWaiting(because reason: String?) async {
        let count = (try? await client.status().waiting) ?? 0
        guard count > 0 || reason != nil else { return }
        let waiting =
            count == 0 ? nil : "Saved here; \(count.things("change")) \(count == 1 ? "waits" : "wait") to be sent."
        console.note([reason?.printable, waiting].compactMap(\.self).joined(separator: " "))
    }

    /// Says that the edit is saved, and why nothing of the account is sent.
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
