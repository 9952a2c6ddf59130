import Kith
import KithModel

/// The lists of every account on the device, as `kith lists --all-accounts` shows them.
struct AllAccounts: Sendable {
    let stores: [(store: StoredAccount, lists: [ListSummary])]

    init(_ context: CommandContext) async throws {
        var stores: [(store: StoredAccount, lists: [ListSummary])] = []
        for store in try await context.client.accounts.all() {
            var summaries: [ListSummary] = []
            for list in try await context.lists.all(within: store.scope) {
                summaries.append(try await context.lists.summary(of: list, within: store.scope))
            }
            stores.append((store, summaries))
        }
        self.stores = stores
    }

    /// `{"accounts": [{"account", "lists"}…]}`, and a table.
    var answer: CommandAnswer {
        let shapes = stores.map { ["account": $0.store.shape, "lists": $0.lists.map(\.shape)] as Shape }
        return CommandAnswer(["accounts": shapes]) { colour in
            let ids = ShortIDs(stores.flatMap { $0.lists.map(\.list.id) })
            var table = Table(header: ["Account", "Name", "Open", "Items", "Id"])
            for (store, lists) in stores {
                for summary in lists {
                    table.add([
                        Table.Cell(store.name ?? store.scope.typed), Table.Cell(summary.list.name),
                        .number(summary.items - summary.ticked), .number(summary.items),
                        Table.Cell(ids[summary.list.id], .faint),
                    ])
                }
            }
            if stores.allSatisfy({ $0.lists.isEmpty }) { return ["No lists on this device."] }
            return table.lines(colour: colour) + ["To work with one: kith --account ACCOUNT items LIST"]
        }
    }
}
