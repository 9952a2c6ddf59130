import ArgumentParser
import Kith
import KithModel

/// Some items of a list.
struct ItemArguments: ParsableArguments {
    @OptionGroup var target: ListArgument
    @Argument(help: Self.help) var items: [String]

    static let help: ArgumentHelp = "The title, the start of it, the number in the listing, or the start of the id."

    func setTicked(_ ticked: Bool, _ context: CommandContext) async throws -> CommandAnswer {
        let list = try await target.find(context)
        let found = try await ListFinder(context.client).items(items, in: list)
        for item in found { try await context.lists.setTicked(item.id, in: list.id, ticked) }
        let listing = try await ItemListing(of: list, in: context.client)
        return listing.answer(on: found, "\(ticked ? "Ticked" : "Unticked") \(found.named).")
    }
}
