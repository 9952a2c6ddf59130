import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith network`: the people that the account is connected with.
struct NetworkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "Show, ask, accept, block and mute people.",
        discussion: """
            A PERSON is an account id, or the start or the end of one, or the name or the start of it, of somebody you have \
            to do with, or that “kith discover” has found. Your own account id is in: kith profile
            """,
        groupedSubcommands: [
            CommandGroup(name: "Looking", subcommands: [List.self, Show.self, Search.self, Watch.self]),
            CommandGroup(
                name: "Connecting",
                subcommands: [
                    PersonActionCommand<Connect>.self, PersonActionCommand<Accept>.self,
                    PersonActionCommand<Decline>.self, PersonActionCommand<Cancel>.self,
                    PersonActionCommand<Resend>.self, PersonActionCommand<Remove>.self,
                ]),
            CommandGroup(
                name: "Peace",
                subcommands: [
                    PersonActionCommand<Block>.self, PersonActionCommand<Unblock>.self, Mute.self,
                    PersonActionCommand<Unmute>.self,
                ]),
        ],
        defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the people of your network. (Also: kith network)")
        @Flag(help: "Others than your network.") var view: ViewFlag?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let network = context.client.network
            let people =
                switch view {
                case .requests: try await network.requests()
                case .muted: try await network.muted()
                default: try await network.contacts(in: view?.view ?? .network)
                }
            let waiting = try await network.pendingCount()
            let empty = view.emptyState
            let hint =
                view == nil && waiting > 0
                ? [
                    "\(waiting) \(waiting == 1 ? "person waits" : "people wait") for your answer: kith network list --requests"
                ]
                : []
            return CommandAnswer(["people": people.map(\.shape), "pending": waiting]) {
                people.lines(ifNobody: empty, colour: $0) + hint
            }
        }
    }

    struct Search: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Find people by the beginnings of words in their names.",
            discussion:
                "Here among those you have to do with; with --directory on the server, among all who let themselves be listed."
        )
        @Argument(help: "What the names begin with.") var words: [String]
        @Flag(help: "Ask the server's directory.") var directory = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if !words.contains(where: { $0.contains { $0.isLetter || $0.isNumber } }) {
                throw ValidationError("Say what the name begins with.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let text = words.joined(separator: " ")
            if directory { return try await searchDirectory(text, context) }
            let people = try await context.client.network.search(text, in: .everyone)
            let empty =
                "Nobody you have to do with is called “\(text)”. Ask the directory: kith network search --directory \(text.shellWord)"
            return CommandAnswer(["people": people.map(\.shape)]) {
                people.lines(ifNobody: empty, colour: $0)
            }
        }

        private func searchDirectory(_ text: String, _ context: CommandContext) async throws -> CommandAnswer {
            try await context.requireServer()
            let found = try await context.console.progress("Asking the directory") {
                try await context.client.network.searchDirectory(text)
            }
            return CommandAnswer(["people": found.people.map(\.shape), "more": found.hasMore]) { colour in
                if found.people.isEmpty {
                    return ["Nobody who lets themselves be listed is called “\(text)”.".printable]
                }
                let table = Table(header: ["Name", "Nickname", "Work", "Kind", "Account"], found.people) { person in
                    let profile = person.profile
                    return [
                        Table.Cell(profile.fullName ?? "(no name)"), Table.Cell(profile.nick ?? ""),
                        Table.Cell(profile.work),
                        person.isBot ? "bot" : "", Table.Cell(person.id.description, .faint),
                    ]
                }
                let more = found.hasMore ? ["There are more: say more of the name."] : []
                return table.lines(colour: colour) + more + ["To ask one: kith network connect ACCOUNT"]
            }
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show what someone shares with you.",
            discussion: "What is new is fetched if the server can be reached; else it is what this device knows.")
        @OptionGroup var target: PersonArgument
        @Option(help: "Write their picture to a file; - is standard output.", completion: .file()) var picture: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let id = try await target.find(context).id
            let network = context.client.network
            let person = try await context.console.progress("Asking") { try await network.details(of: id) }
            let contact = try await network.contact(id)
            let me = try await context.client.session.account()
            var presence: Presence?
            if contact?.relation == .connected, contact?.isBlocked == false {
                // If the presence cannot be fetched, or is not visible, the person is shown without it.
                presence = try? await network.currentPresence(of: id)
            }
            if let picture {
                guard let bytes = try await network.picture(of: id, .large) else {
                    throw Failure.notFound("\(person.called) shows you no picture.")
                }
                if NamedFile(picture).isStandard { return CommandAnswer(content: bytes) }
                try NamedFile(picture).write(bytes)
            }
            let shape: Shape = ["person": person.shape, "contact": contact?.shape, "presence": presence?.shape]
            return CommandAnswer(shape) { [presence] colour in
                var table = Table()
                table.add(["Account", Table.Cell(id.description)])
                for row in person.profile.rows { table.add([Table.Cell(row.label), Table.Cell(row.text)]) }
                if let standing = contact?.standing, !standing.isEmpty {
                    table.add(["You two", Table.Cell(standing)])
                }
                if let presence { table.add(["Just now", Table.Cell(presence.words)]) }
                if let asked = contact?.asked { table.add(["They asked you", Table.Cell(asked.date.day)]) }
                if let notified = contact?.notified { table.add(["You asked them", Table.Cell(notified.date.day)]) }
                var notes = person.isComplete ? [] : ["There is more, or newer, which cannot be fetched now."]
                if contact.isNothing, contact?.isBlocked != true, id != me {
                    notes.append("To ask them: kith network connect \(id)")
                }
                return table.lines(colour: colour) + notes
            }
        }
    }
}

extension Person {
    var called: String { profile.fullName ?? id.called }

    var shape: Shape { profile.shownShape + ["account": id, "bot": isBot, "complete": isComplete] }
}
