import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session decide`: keeps, moves or drops the stores that a sign-in or a new session has hidden.
    struct Decide: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "decide",
            abstract: "Keep, move or drop the data of accounts that are no longer shown.",
            discussion: """
                A sign-in can make another account the current one. So can a new session that replaces one that the server \
                no longer accepts. The data of the former account stays on this device until you decide about it. At a \
                terminal the command asks about each account.
                """)
        @Argument(
            help: ArgumentHelp(
                "The accounts to decide about, or “userless”. Without this argument: all undecided ones.",
                valueName: "account"))
        var accounts: [String] = []
        @Flag() var choice: StoreChoice?
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            try context.requireShown("session decide")
            let (all, waiting) = (
                try await context.client.accounts.all(), try await context.client.accounts.undecided()
            )
            let named = try accounts.map { try StoreReference(text: $0).resolve(among: all) }
            if let scope = named.first(where: { scope in !waiting.contains { $0.scope == scope } }) {
                throw Failure.notFound(
                    "There is nothing to decide about \(scope).", candidates: waiting.map(\.scope.typed))
            }
            let chosen = waiting.filter { named.isEmpty || named.contains($0.scope) }
            let hiding = Hiding(stores: chosen, current: try await context.client.shownScope())
            let done = try await context.settlement.decide(hiding, choice)
            return CommandAnswer(
                ["decided": chosen.map(\.shape), "choice": done?.rawValue],
                chosen.isEmpty ? "There is nothing to decide." : "Decided.")
        }
    }
}
