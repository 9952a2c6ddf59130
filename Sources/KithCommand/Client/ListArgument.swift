public import ArgumentParser
public import Kith
public import KithModel

/// The list that a command works on.
struct ListArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The list: its name, or the start of its id.", valueName: "list"),
        completion: .custom(ListNames.complete))
    var list: String
}

extension Role: ExpressibleByArgument {}
extension ListFormat: ExpressibleByArgument {}
