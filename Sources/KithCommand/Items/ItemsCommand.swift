import ArgumentParser
import Kith
import KithModel

/// `kith items LIST`: shows a list's items, and has the commands for items.
struct ItemsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "items",
        abstract: "Show, add, tick and change the items of a list.",
        groupedSubcommands: [
            CommandGroup(
                name: "One by one",
                subcommands: [
                    Show.self, Add.self, Tick.self, Untick.self, Edit.self, Move.self, Remove.self,
                ]),
            CommandGroup(name: "All at once", subcommands: [ClearTicked.self, UntickAll.self, Duplicates.self]),
        ],
        defaultSubcommand: Show.self)
}

extension ItemsCommand {
    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the items of a list. (Also: kith items LIST)")
        @OptionGroup var target: ListArgument
        @Flag(help: "Only items that are not ticked. They keep their numbers.") var open = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            return try await ItemListing(of: list, in: context.client).answer(onlyOpen: open)
        }
    }

    struct Add: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add items to the end of a list.",
            discussion: "Each title is one item: kith items add Groceries Bread \"Oat milk\"")
        @OptionGroup var target: ListArgument
        @Argument(help: "What to add.") var titles: [String]
        @Option(help: "How many.") var count = 1
        @Option(help: "The category.") var category: String?
        @Option(help: "A remark.") var comment: String?
        @Option(help: "The offer that it comes from.") var offer: String?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let drafts = titles.map {
                ItemDraft(title: $0.trimmed, count: count, category: category, comment: comment, offer: offer)
            }
            let items = try await context.lists.add(drafts, to: list.id)
            let listing = try await ItemListing(of: list, in: context.client)
            return listing.answer(on: items, "Added \(items.named) to “\(list.name)”.")
        }
    }

    struct Tick: EditCommand {
        static let configuration = CommandConfiguration(commandName: "tick", abstract: "Tick items: they are done.")
        @OptionGroup var target: ItemArguments
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await target.setTicked(true, context)
        }
    }

    struct Untick: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "untick", abstract: "Untick items: they are open again.")
        @OptionGroup var target: ItemArguments
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try await target.setTicked(false, context)
        }
    }

    struct Edit: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change an item.", discussion: "An empty text removes what was there: --comment \"\"")
        @OptionGroup var target: ListArgument
        @Argument(help: ItemArguments.help) var item: String
        @Option(help: "The new title.") var title: String?
        @Option(help: "The new count.") var count: Int?
        @Option(help: "Add this many. Additions by two people add up.") var more: Int?
        @Option(help: "The category.") var category: String?
        @Option(help: "A remark.") var comment: String?
        @Option(help: "The offer that it comes from.") var offer: String?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if count != nil && more != nil { throw ValidationError("Use either --count or --more.") }
            if title == nil && count == nil && more == nil && category == nil && comment == nil && offer == nil {
                throw ValidationError(
                    "Say what to change: --title, --count, --more, --category, --comment or --offer.")
            }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let found = try await ListFinder(context.client).items([item], in: list)[0]
            // Another process may have changed the item since, so the edit is applied to what the transaction reads.
            let changed = try await context.client.write {
                [title, count, more, category, comment, offer] changes in
                try changes.update(found.id, in: found.listID) { item in
                    if let title { item.title = title.trimmed }
                    if let count { item.count = count }
                    if let category { item.category = category.isEmpty ? nil : category }
                    if let comment { item.comment = comment.isEmpty ? nil : comment }
                    if let offer { item.offer = offer.isEmpty ? nil : offer }
                }
                if let more { try changes.increase(found.id, in: found.listID, by: more) }
                return try changes.item(found.id, in: found.listID) ?? found
            }
            let listing = try await ItemListing(of: list, in: context.client)
            return listing.answer(on: [changed], "Changed \([changed].named).")
        }
    }

    struct Move: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Give an item another place in its list.")
        @OptionGroup var target: ListArgument
        @Argument(help: ItemArguments.help) var item: String
        @OptionGroup var destination: Destination
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let item = try await ListFinder(context.client).items([item], in: list)[0]
            let all = try await context.lists.items(in: list.id).nameables
            let predecessor = try destination.predecessor(of: item.id, among: all, kind: "item")
            try await context.lists.move(item.id, in: list.id, after: predecessor)
            let listing = try await ItemListing(of: list, in: context.client)
            return listing.answer(on: [item], "Moved \([item].named).")
        }
    }

    struct Remove: EditCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove items from a list.")
        @OptionGroup var target: ListArgument
        @Argument(help: ItemArguments.help) var items: [String] = []
        @Flag(help: "Remove every item; the list stays.") var all = false
        /// Nothing is asked here. It is accepted because the other commands that remove something have it, and without it
        /// the error would suggest `--all`.
        @Flag(help: .hidden) var yes = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if items.isEmpty && !all { throw ValidationError("Name the items to remove, or use --all.") }
            if !items.isEmpty && all { throw ValidationError("Use either --all or names of items, and not both.") }
        }

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let removed: [ListItem]
            if all {
                removed = try await context.lists.items(in: list.id)
                try await context.lists.removeAllItems(in: list.id)
            } else {
                removed = try await ListFinder(context.client).items(items, in: list)
                try await context.lists.remove(removed.map(\.id), in: list.id)
            }
            let sentence = removed.isEmpty ? "There was nothing in “\(list.name)”." : "Removed \(removed.named)."
            return CommandAnswer(["removed": removed.map { $0.shape() }], sentence)
        }
    }
}
