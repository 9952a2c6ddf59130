public import ArgumentParser
import Foundation
import Kith
public import KithModel

extension NetworkCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Sync, and print each change of people, until Ctrl-C.",
            discussion: """
                Who is there comes first, then every change after it, and who comes online and goes. With --json: one \
                object a line. While it runs your network sees you online, unless you say otherwise.
                """)
        @Option(name: .customLong("as"), help: "The presence that your network sees: online, away, busy or invisible.")
        var presence: Presence.State?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if presence == .offline { throw ValidationError("To be seen by nobody, be invisible.") }
        }

        func run() async throws {
            let context = try await CommandContext(options, staysWithNamed: true)
            let client = context.client
            if !context.asksServer {
                context.console.note("There is no server: only changes made on this device are shown.")
            }
            // Set before the live stream opens, so that nobody briefly sees another presence.
            if let presence { try await client.network.setPresence(presence) }
            try await ChangeWatch(context: context).run { sighting in
                if let change = try await StoreSwitch(sighting, context) {
                    return try context.console.say(change.answer)
                }
                guard let differences = sighting.announcement?.contacts else { return }
                let changes = differences.changes(in: .everyone)
                guard changes.origin == .state || !changes.isEmpty else { return }
                var present: [AccountID: Presence] = [:]
                for update in changes.updated where update.keys.contains(.presence) {
                    present[update.contact.id] = try await client.network.presence(of: update.contact.id)
                }
                let origin = sighting.origin(changes.origin)
                try context.console.say(
                    CommandAnswer(changes.shape(present, origin: origin)) { [present] _ in
                        changes.lines(present, origin: origin)
                    })
            }
        }
    }
}

extension Presence.State: ExpressibleByArgument {}

extension Presence {
    /// A person's presence, in a few words.
    var words: String {
        let since = lastSeen.map { ", last seen \($0.date.day)" } ?? ""
        return state.rawValue + since
    }

    var shape: Shape { ["state": state, "lastSeen": lastSeen?.date] }
}

extension NetworkChanges {
    /// The changes as lines for people; `present` has the new presence of the people whose presence has changed.
    func lines(_ present: [AccountID: Presence], origin: String) -> [String] {
        if self.origin == .state {
            let connected = added.filter { $0.relation == .connected && !$0.isBlocked }.count
            let waiting = added.filter(\.asksMe).count
            return [
                "\(connected) connected, \(waiting) \(waiting == 1 ? "waits" : "wait") for your answer, and what changes from now on:"
            ]
        }
        let from = News.words(ofOrigin: origin)
        let all =
            added.map { "+ \($0.introduction)" }
            + updated.map { "~ \($0.contact.called): \($0.news($0.keys, present[$0.contact.id]))" }
            + removed.map { "- \($0.called)" }
        return all.map { $0.printable + from }
    }

    /// `{"collection", "origin", "added", "removed", "updated": [{"contact", "keys", "presence"}…]}`
    func shape(_ present: [AccountID: Presence], origin: String) -> Shape {
        let updates = updated.map { update in
            [
                "contact": update.contact.shape, "presence": present[update.contact.id]?.shape,
                "keys": update.keys.map(\.rawValue).sorted(),
            ] as Shape
        }
        return [
            "collection": RecordCollection.contacts, "origin": origin, "added": added.map(\.shape),
            "removed": removed.map(\.shape), "updated": updates,
        ]
    }
}

extension NetworkContact {
    /// The person's name, and the relation of the two.
    var introduction: String { [called, standing].filter { !$0.isEmpty }.joined(separator: ": ") }
}

extension NetworkChanges.Update {
    /// The changes that these keys name, in words.
    func news(_ keys: Set<NetworkContact.Key>, _ presence: Presence? = nil) -> String {
        var words: [String] = []
        for key in NetworkContact.Key.allCases where keys.contains(key) {
            switch key {
            case .name: words.append("has another name now")
            case .work: words.append(contact.profile.work.isEmpty ? "no work" : contact.profile.work)
            case .status: words.append(contact.status.map { "“\($0)”" } ?? "no status")
            case .picture: words.append(contact.picture == nil ? "no picture" : "a picture")
            case .relation: words.append(contact.relation == .none ? "no longer connected" : contact.standing)
            case .request where contact.relation == .sent: words.append("was told of your request")
            // The text for the relation already includes it.
            case .request where keys.contains(.relation): break
            case .request: words.append("asked")
            case .isBlocked: words.append(contact.isBlocked ? "blocked" : "unblocked")
            case .muted: words.append(contact.mutedFrom == nil ? "unmuted" : "muted")
            case .isBot: words.append(contact.isBot ? "is a bot" : "is no bot")
            case .details: words.append("details")
            case .presence: words.append(presence?.words ?? "no longer known whether there")
            }
        }
        return words.joined(separator: ", ")
    }
}
