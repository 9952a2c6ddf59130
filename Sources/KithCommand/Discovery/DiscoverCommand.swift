import ArgumentParser
import Foundation
import Kith
import KithModel
import Synchronization

/// `kith discover`: who of the address book is on the service.
struct DiscoverCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Show who of the contacts is on the service.",
        discussion: """
            Numbers and emails leave this device only blinded: the server does not learn those of people who are not on \
            the service, nor any names. What is known is kept for a day; then, and when there are new contacts, the \
            server is asked for what is new.
            """)
    @Flag(help: "Ask the server again, even if what is known is younger than a day.") var again = false
    @Flag(help: "Connect with everybody who is found.") var connect = false
    @OptionGroup var region: RegionOption
    @OptionGroup var options: GlobalOptions

    func answer(_ desk: Desk) async throws -> Answer {
        try await region.remember(desk)
        guard !desk.addressBook.sources.isEmpty else {
            throw Failure(
                .notFound, "noSource", "The address book has no source. Add one: kith contacts add-source FILE")
        }
        let contacts = try await desk.loadContacts()
        let discovery = desk.client.discovery
        var summary: Discovery.Summary?
        if desk.place.server == nil || desk.isOffline {
            if try await discovery.status().lastLooked == nil {
                try desk.requireServer()
                throw Failure(.offline, "offline", "Nobody was looked for yet. Repeat this without staying offline.")
            }
            if again { desk.console.note("The server was not asked: this shows what was found before.") }
        } else if again {
            summary = try await look(desk)
        } else if try await discovery.isDue() {
            summary = try await look(desk)
        }
        let matches = try await discovery.matches()
        if connect { try await discovery.connect(with: matches) }
        return DiscoveryListing(
            matches: matches, added: summary?.added ?? [], status: try await discovery.status(),
            contacts: desk.addressBook.contacts ?? contacts
        ).answer()
    }

    private func look(_ desk: Desk) async throws -> Discovery.Summary {
        let progress = ProgressNote()
        return try await desk.console.progress(progress.text) {
            try await desk.client.discovery.lookAgain { progress.note($0) }
        }
    }
}

/// How far a look is, in a few words.
private final class ProgressNote: Sendable {
    private let progress = Mutex<Discovery.Progress?>(nil)

    func note(_ new: Discovery.Progress) { progress.withLock { $0 = new } }

    var text: String {
        guard let progress = progress.withLock(\.self), progress.total > 0 else { return "Looking for people" }
        return "Looking for people, \(100 * progress.done / progress.total) %"
    }
}

/// Who is on the service, with the names that the contacts give them.
struct DiscoveryListing: Sendable {
    let matches: [Discovery.Match]
    let added: [Discovery.Match]
    let status: Discovery.Status
    let contacts: [AddressBook.Contact]

    func answer() -> Answer {
        var holders: [Identity: AddressBook.Contact] = [:]
        for contact in contacts where contact.isOnService {
            for identity in contact.identities where holders[identity] == nil { holders[identity] = contact }
        }
        let (status, added) = (status, Set(added))
        let rows = matches.map { ($0, holders[$0.identity]) }
        let json: JSON = .object([
            "identities": .count(status.identities),
            "lastLooked": .moment(status.lastLooked),
            "quota": status.quota.map { quota in
                .object([
                    "limit": .count(quota.limit), "left": .count(quota.left), "resets": .moment(quota.resets.date),
                ])
            } ?? .null,
            "matches": .list(rows) { match, contact in
                .object([
                    "identity": .text(match.identity.text), "account": .text(match.account.description),
                    "contact": .text(orNull: contact?.id.rawValue), "name": .text(orNull: contact?.displayName),
                    "isNew": .flag(added.contains(match)),
                ])
            },
        ])
        return Answer(json) { colour in
            var table = Table()
            for (match, contact) in rows {
                table.add([
                    Table.Cell(contact?.displayName ?? ""), Table.Cell(match.identity.shown, .faint),
                    Table.Cell(added.contains(match) ? "new" : ""),
                ])
            }
            let people = Set(matches.map(\.account)).count
            let summary =
                "\(people.things("account")) on the service, of \(status.identities) numbers and emails looked for."
            return table.lines(colour: colour) + [summary]
        }
    }
}
