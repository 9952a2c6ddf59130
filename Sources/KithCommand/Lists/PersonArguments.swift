import ArgumentParser
import KithModel

/// A person in a list.
struct PersonArguments: ParsableArguments {
    @OptionGroup var target: ListArgument
    @Argument(help: "The person: the name, the number in “kith lists members”, or the start of the id.")
    var member: String

    func find(_ context: CommandContext) async throws -> (SharedList, Member) {
        let list = try await target.find(context)
        return (list, try await ListFinder(context.client).member(member, of: list))
    }
}
