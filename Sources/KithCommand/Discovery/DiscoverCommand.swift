import ArgumentParser
import Foundation
import Kith
import KithAddressBook
import KithDiscovery
import KithModel
import Synchronization

/// `kith discover`: finds which contacts use the service.
struct DiscoverCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Show which contacts use the service.",
        discussion: """
            Numbers and emails leave this device only blinded: the server does not learn those of people who are not on \
            the service, nor any names. What is known is kept for a day; then, and when there are new contacts, the \
            server is asked for what is new.
            """)
    /// Whether the account connects automatically with the people that discovery finds.
    enum Connecting: String, EnumerableFlag { case autoConnect, noAutoConnect }

    /// Whether `kith watch` looks automatically.
    enum Looking: String, EnumerableFlag { case autoLook, noAutoLook }

    @Flag(help: "Ask the server again, even if the last answer is less than a day old.") var again = false
    @Flag(help: "Connect with everybody who is found.") var connect = false
    @Flag(help: "Whether to connect automatically with the people found. The choice is stored.")
    var connecting: Connecting?
    @Flag(help: "Whether kith watch runs discovery once a day and for new contacts. The choice is stored.")
    var looking: Looking?
    @OptionGroup var region: RegionOption
    @OptionGroup var options: GlobalOptions

    func hasEdited(_ context: CommandContext) async throws -> Bool { try await context.client.status().waiting > 0 }

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        try await region.remember(context)
        guard !context.addressBook.sources.isEmpty else {
            throw Failure(
                .notFound, "noSource", "The address book has no source. Add one: kith contacts add-source FILE")
        }
        let discovery = context.client.discovery
        if let connecting { try await discovery.setConnectsAutomatically(connecting == .autoConnect) }
        if let looking { try await discovery.setEnabled(looking == .autoLook) }
        let contacts = try await context.addressBook.loadContacts(noting: context.console)
        let (before, known) = (try await context.client.network.standings(), Set(try await discovery.matches()))
        var shortage: KithError?
        if !context.asksServer {
            if connecting == nil, looking == nil, try await !discovery.status().hasLooked {
                try await context.requireServer()
                throw Failure(.offline, "offline", "Nobody was looked for yet. Repeat this without staying offline.")
            }
            if again { context.console.note("The server was not asked: this shows what was found before.") }
        } else if try await isDue(discovery) {
            do {
                try await look(context)
            } catch let error as KithError where error.code == .quotaExceeded {
                shortage = error
            }
        }
        let matches = try await discovery.matches()
        if connect { try await discovery.connect(with: matches) }
        let (after, found) = (try await context.client.network.standings(), Set(matches.map(\.account)))
        // Who was found before the quota was used up is shown.
        if let failure = shortage.flatMap({ Failure($0) }) { context.console.complain(failure) }
        return DiscoveryListing(
            matches: matches, added: matches.filter { !known.contains($0) }, isWhole: shortage == nil,
            status: try await discovery.status(),
            contacts: context.addressBook.contacts ?? contacts, people: after,
            me: try await context.client.session.account(),
            reached: after.values.filter { found.contains($0.id) && $0.isReached(from: before[$0.id]) }.sorted {
                $0.id < $1.id
            }
        ).answer()
    }

    /// Whether to look: the user asked for it, there are new contacts, the last look is old, or automatic connecting
    /// was just turned on. Turning automatic looks off asks the server for nothing.
    private func isDue(_ discovery: Discovery) async throws -> Bool {
        if again || connecting == .autoConnect { return true }
        if looking == .noAutoLook { return false }
        return try await discovery.isDue()
    }

    private func look(_ context: CommandContext) async throws {
        let progress = ProgressNote()
        try await context.console.progress(progress.text) {
            _ = try await context.client.discovery.look(connecting: connect) { progress.note($0) }
        }
    }
}

extension Network {
    /// My contacts of the network, by their accounts.
    fileprivate func standings() async throws -> [AccountID: NetworkContact] {
        Dictionary(uniqueKeysWithValues: try await contacts(in: .everyone).map { ($0.id, $0) })
    }
}

extension Discovery.Status {
    /// Whether anybody was looked for. A look that has used up the quota leaves results, and no time.
    var hasLooked: Bool { lastLooked != nil || identities > 0 }
}

extension NetworkContact {
    /// Whether I have sent them a request, or accepted theirs, since `before`.
    fileprivate func isReached(from before: NetworkContact?) -> Bool {
        [.sent, .connected].contains(relation) && ![.sent, .connected].contains(before?.relation ?? .none)
    }
}

/// The progress of a look, in a few words.
private final class ProgressNote: Sendable {
    private let progress = Mutex<Discovery.Progress?>(nil)

    func note(_ new: Discovery.Progress) { progress.withLock { $0 = new } }

    var text: String {
        guard let progress = progress.withLock(\.self), progress.total > 0 else { return "Looking for people" }
        return "Looking for people, \(100 * progress.done / progress.total) %"
    }
}
