import ArgumentParser
import Kith
import KithModel

/// Commands that change all items of a list.
extension ItemsCommand {
    struct ClearTicked: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear-ticked", abstract: "Remove all items that are ticked.")
        @OptionGroup var target: ListArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let ticked = try await context.lists.items(in: list.id).filter(\.isTicked)
            try await context.lists.removeTicked(in: list.id)
            let sentence = ticked.isEmpty ? "Nothing is ticked in “\(list.name)”." : "Removed \(ticked.named)."
            return CommandAnswer(["removed": ticked.map { $0.shape() }], sentence)
        }
    }

    struct UntickAll: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "untick-all", abstract: "Untick all items: the list can be used again.")
        @OptionGroup var target: ListArgument
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let count = try await context.lists.untickAll(in: list.id)
            return CommandAnswer(
                ["list": try await context.lists.summary(of: list).shape, "unticked": count],
                "Unticked \(count.things("item")) of “\(list.name)”.")
        }
    }

    struct Duplicates: EditCommand {
        static let configuration = CommandConfiguration(
            commandName: "duplicates",
            abstract: "Show items that seem to be the same, and merge them if you like.")
        @OptionGroup var target: ListArgument
        @Flag(help: "Make each group one item. The counts add up, and each comment becomes a line.") var merge = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            let list = try await target.find(context)
            let duplicates = try await context.lists.duplicates(in: list.id)
            if !merge { return Self.answer(duplicates, in: list) }
            var merged: [ListItem] = []
            for duplicate in duplicates {
                let item = try await context.lists.merge(duplicate)
                if item != duplicate.kept { merged.append(item) }
            }
            let left = try await context.lists.duplicates(in: list.id).map(\.kept)
            let nothing = left.isEmpty ? "Nothing is there twice." : "Nothing was merged."
            let sentence = merged.isEmpty ? nothing : "Merged \(merged.named)."
            let more =
                " The comments or the counts of \(left.named) are too large together, so some of these items stay."
            let listing = try await ItemListing(of: list, in: context.client)
            return listing.answer(on: merged, left.isEmpty ? sentence : sentence + more)
        }

        private static func answer(_ duplicates: [Duplicate], in list: SharedList) -> CommandAnswer {
            CommandAnswer(["duplicates": duplicates.map(\.shape)]) { colour in
                if duplicates.isEmpty { return ["Nothing is there twice."] }
                let table = Table(header: ["Title", "Times", "Together"], duplicates) { duplicate in
                    [Table.Cell(duplicate.kept.title), .number(duplicate.others.count + 1), .number(duplicate.count)]
                }
                let hint = "Make them one each: kith items duplicates \(list.name.printable.shellWord) --merge"
                return table.lines(colour: colour) + [hint]
            }
        }
    }
}

extension Duplicate {
    fileprivate var shape: Shape { ["kept": kept.shape(), "others": others.map { $0.shape() }, "count": count] }
}
