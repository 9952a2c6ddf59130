public import ArgumentParser
public import Kith
public import KithModel

/// The list that a command works on.
struct ListArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The list: its name, or the start of its id.", valueName: "list"),
        completion: .custom(ListNames.complete))
    var list: String

    /// The list that is meant.
    func find(_ context: CommandContext) async throws -> SharedList { try await ListFinder(context.client).list(list) }

    /// The list that is meant, of which the user is the owner.
    func findOwn(_ context: CommandContext) async throws -> SharedList {
        try await ListFinder(context.client).ownList(list)
    }
}

extension Role: ExpressibleByArgument {
    /// The roles that commands give. A command reads the owner's role too, and says why it refuses it.
    public static var allValueStrings: [String] { allCases.filter { $0 < .owner }.map(\.rawValue) }
}
extension ListFormat: ExpressibleByArgument {}
extension ListEncoding: ExpressibleByArgument {}
