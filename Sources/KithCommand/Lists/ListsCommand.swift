import ArgumentParser
import Kith
import KithModel

/// `kith lists`: shows the lists, and has the commands for whole lists.
struct ListsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists",
        abstract: "Show, make, share, import and export lists.",
        discussion: """
            kith lists shows the lists of the account; with --all-accounts, those of every account on this device. The items \
            of a list: kith items LIST
            """,
        groupedSubcommands: [
            CommandGroup(name: "Lists", subcommands: [Show.self, Create.self, Rename.self, Move.self, Remove.self]),
            CommandGroup(
                name: "Sharing by link",
                subcommands: [
                    Share.self, Publish.self, Links.self, Revoke.self, Preview.self, Accept.self, Read.self,
                ]),
            CommandGroup(
                name: "People",
                subcommands: [
                    Members.self, SetRole.self, HandOver.self, RemoveMember.self, LetIn.self, MyName.self, Leave.self,
                ]),
            CommandGroup(name: "Files", subcommands: [Import.self, Export.self]),
        ],
        defaultSubcommand: Show.self)
}

extension ListsCommand {
    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show all lists. (Also: kith lists)")
        @Flag(help: "Show the lists of every account on this device.") var allAccounts = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            if allAccounts { return try await AllAccounts(context).answer }
            var summaries: [ListSummary] = []
            for list in try await context.lists.all() { summaries.append(try await context.lists.summary(of: list)) }
            let elsewhere = try await context.client.status().otherStores.reduce(0) { $0 + $1.lists }
            return ListSummary.answer(summaries, elsewhere: elsewhere)
        }
    }

    struct Create: EditCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a list.")
        @Argument(help: "What to call it.") var name: String
        @Option(help: "What kind of list: shopping, wish …") var kind = SharedList.standardKind
        @Option(help: "The theme it is shown in.") var theme: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await context.lists.create(name.trimmed, kind: kind, theme: theme)
            try await ListFinder(context.client).noteNamesake(of: list, on: context.console)
            return try await context.lists.summary(of: list).answer("Made the list “\(list.name)”.")
        }
    }

    struct Rename: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a list another name, kind or theme.")
        @OptionGroup var target: ListArgument
        @Argument(help: "The new name.") var name: String?
        @Option(help: "What kind of list: shopping, wish …") var kind: String?
        @Option(help: "The theme it is shown in; empty for none.") var theme: String?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if name == nil && kind == nil && theme == nil {
                throw ValidationError("Say what to change: a new name, --kind or --theme.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let found = try await target.find(context)
            // Another process may have changed the list since, so the edit is applied to what the transaction reads.
            try await context.lists.update(found.id) { [name, kind, theme] list in
                if let name { list.name = name.trimmed }
                if let kind { list.kind = kind }
                if let theme { list.theme = theme.isEmpty ? nil : theme }
            }
            let list = try await context.lists.list(found.id) ?? found
            if name != nil { try await ListFinder(context.client).noteNamesake(of: list, on: context.console) }
            let sentence =
                list.name == found.name ? "Changed “\(found.name)”." : "“\(found.name)” is now “\(list.name)”."
            return try await context.lists.summary(of: list).answer(sentence)
        }
    }

    struct Move: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Give a list another place among your lists.")
        @OptionGroup var target: ListArgument
        @OptionGroup var destination: Destination
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let all = try await context.lists.all().map(\.nameable)
            let predecessor = try destination.predecessor(of: list.id, among: all, kind: "list")
            try await context.lists.move(list.id, after: predecessor)
            return try await context.lists.summary(of: list).answer("Moved “\(list.name)”.")
        }
    }

    struct Remove: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a list with its items, for everyone in it.")
        @OptionGroup var target: ListArgument
        @Flag(help: "Do not ask when other people are in the list.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let summary = try await context.lists.summary(of: list)
            if list.role != .owner {
                throw Failure(
                    .refused, "forbidden",
                    "“\(list.name)” is somebody else's: only its owner can remove it. To leave it: kith lists leave "
                        + list.name.shellWord)
            }
            if list.access != .private {
                try context.console.confirm("“\(list.name)” is shared. Remove it for everyone?", given: yes)
            }
            try await context.lists.remove(list.id)
            return CommandAnswer(
                ["removed": summary.shape],
                "Removed “\(list.name)” and its \(summary.items.things("item")).")
        }
    }
}
