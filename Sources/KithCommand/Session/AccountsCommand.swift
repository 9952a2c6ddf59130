import ArgumentParser
import Foundation
import Kith
import KithModel

/// `kith accounts`: every store on this device, current or hidden.
struct AccountsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Show every account whose data is on this device, and what is in each.",
        discussion: """
            Every command works on another account's data with --account: its name, its number here, the start or the \
            end of its id; “userless” is what was made without an account. Lists go from one to another with: kith \
            move-lists --from A --to B
            """)
    @OptionGroup var options: GlobalOptions

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let stores = try await context.client.accounts.all()
        return CommandAnswer(["accounts": stores.map(\.shape)]) { colour in
            let table = Table(
                header: ["", "Name", "Id", "Server", "Lists", "Other", "Unsent", "Rejected", "State"],
                isNumbered: true, stores
            ) { store in
                [
                    store.isCurrent ? "current" : "", Table.Cell(store.name ?? ""),
                    Table.Cell(store.scope.typed), Table.Cell(store.address?.absoluteString ?? ""),
                    .number(store.lists), Table.Cell(store.contentsBesidesLists), .number(store.waiting),
                    store.rejections > 0 ? .number(store.rejections) : "", Table.Cell(store.stateWords),
                ]
            }
            let advice = stores.filter { !$0.isCurrent }
                .flatMap { [$0.sendingAdvice, $0.rejectionsAdvice].compactMap(\.self) }
            return table.lines(colour: colour) + advice
        }
    }
}
