import ArgumentParser
import Foundation
package import Kith
import KithModel

extension NetworkCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stay in step and tell each change of people as it comes, until Ctrl-C.",
            discussion: "Who is there comes first, then every change after it. With --json: one object a line.")
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let desk = try Desk(options)
            let client = desk.client
            let (news, teller) = AsyncThrowingStream.makeStream(of: NetworkChanges.self)
            let end = EndSignal { teller.finish() }
            defer { end.cancel() }
            let sightings = client.sightings(every: WatchCommand.glance)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    do {
                        for try await sighting in sightings {
                            guard case .contacts(let differences) = sighting.announcement else { continue }
                            let changes = differences.changes(in: .everyone)
                            if changes.origin == .state || !changes.isEmpty { teller.yield(changes) }
                        }
                    } catch {
                        teller.finish(throwing: error)
                    }
                }
                if !desk.isOffline && desk.place.server != nil {
                    group.addTask { await client.run() }
                    group.addTask { await desk.noteTroubles() }
                }
                defer { group.cancelAll() }
                for try await changes in news {
                    try desk.console.say(Answer(changes.json) { _ in changes.lines })
                }
            }
        }
    }
}

extension NetworkChanges {
    /// The changes as they are told to people.
    package var lines: [String] {
        if origin == .state {
            let connected = added.filter { $0.relation == .connected && !$0.isBlocked }.count
            let waiting = added.filter(\.asksMe).count
            return [
                "\(connected) connected, \(waiting) \(waiting == 1 ? "waits" : "wait") for your answer, and what changes from now on:"
            ]
        }
        let from = origin == .server ? "  (from the server)" : "  (here)"
        let all =
            added.map { "+ \($0.called): \($0.standing())" } + updated.map { "~ \($0.contact.called): \($0.news)" }
            + removed.map { "- \($0.called)" }
        return all.map { $0.printable + from }
    }

    /// `{"origin", "added", "removed", "updated": [{"contact", "keys"}…]}`
    var json: JSON {
        .object([
            "origin": .text(origin.rawValue), "added": .list(added) { $0.json() },
            "removed": .list(removed) { $0.json() },
            "updated": .list(updated) { update in
                .object([
                    "contact": update.contact.json(),
                    "keys": .list(update.keys.map(\.rawValue).sorted(), JSON.text),
                ])
            },
        ])
    }
}

extension NetworkChanges.Update {
    /// What has changed, in words.
    fileprivate var news: String {
        var words: [String] = []
        for key in NetworkContact.Key.allCases where keys.contains(key) {
            switch key {
            case .name: words.append("is called so now")
            case .work: words.append(contact.work.isEmpty ? "no work" : contact.work)
            case .status: words.append(contact.status.map { "“\($0)”" } ?? "no status")
            case .picture: words.append(contact.picture == nil ? "no picture" : "a picture")
            case .relation: words.append(contact.relation == .none ? "no longer connected" : contact.standing())
            case .request: words.append(contact.relation == .sent ? "was told of your request" : "asked")
            case .isBlocked: words.append(contact.isBlocked ? "blocked" : "unblocked")
            case .muted: words.append(contact.mutedFrom == nil ? "unmuted" : "muted")
            case .isBot: words.append(contact.isBot ? "is a bot" : "is no bot")
            case .details: words.append("details")
            case .presence: words.append("presence")
            }
        }
        return words.joined(separator: ", ")
    }
}
