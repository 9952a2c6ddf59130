import ArgumentParser
import Kith
import KithModel

/// `kith move-lists`: moves lists from one store of this device to another.
struct MoveListsCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-lists", abstract: "Move lists from one account on this device to another.",
        discussion: """
            Without --from and --to, lists made without an account go to the current one. All lists move together, or none. \
            A list that its server knows is copied, and then removed there; the answer names the new id. A list that other \
            people are in stays unless it is named: they lose it, so the command asks first. It also asks about lists of \
            an account that you can sign in to, because its other devices lose them.
            """)
    @Argument(help: "The lists; without any, all that only you are in.") var names: [String] = []
    @Option(help: ArgumentHelp("The account that has them, or “userless”.", valueName: "account")) var from: String?
    @Option(help: ArgumentHelp("The account that gets them, or “userless”.", valueName: "account")) var to: String?
    @Flag(help: "The other way: from the current account to the store without one.") var back = false
    @Flag(help: "Do not ask: other people, and other devices of the account, may lose the lists.") var yes = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if back && (from != nil || to != nil) { throw ValidationError("Use either --back or --from and --to.") }
    }

    func answer(_ context: CommandContext) async throws -> CommandAnswer {
        let (source, target) = try await scopes(context)
        if source == target {
            throw Failure.usage("The lists are in \(source) already. Name another account with --from or --to.")
        }
        let all = try await context.lists.all(within: source)
        let chosen = try names.map { try Reference($0).resolve(among: all.map(\.nameable), kind: "list").id }
        let (store, moving) = (try await context.client.accounts.store(source), ListMoving(context: context))
        var shared: [SharedList] = []
        if let store { shared = try await moving.movable(from: store).shared }
        let staying = names.isEmpty ? shared : []
        let going = names.isEmpty ? all.map(\.id).filter { id in !staying.contains { $0.id == id } } : chosen
        var costs = shared.filter { going.contains($0.id) }.byCostOfMoving.map { "\($0.lists.quoted): \($0.cost)" }
        if let store, store.removesMovedLists, store.isIdentified, !going.isEmpty {
            costs.append("Other devices of \(store.called) lose the lists that its server has.")
        }
        if !costs.isEmpty {
            try context.console.confirm(
                "\(costs.joined(separator: " ")) Move \(going.count.things("list"))?", given: yes)
        }
        let moved = try await context.lists.moveLists(going, from: source, to: target)
        if let store { try await moving.noteStaying(staying, in: store, to: target) }
        for scope in [target, source] { try await moving.sendRest(of: scope) }
        let pairs = moved.sorted { $0.key < $1.key }
        let others = moved.isEmpty && all.isEmpty ? try await elsewhere(context, from: source, to: target) : ""
        return CommandAnswer(
            ["moved": pairs.map { ["from": $0.key, "to": $0.value] }, "staying": staying.map { $0.shape() }],
            "Moved \(moved.count.things("list")) from \(source) to \(target)." + others)
    }

    private func scopes(_ context: CommandContext) async throws -> (from: AccountScope, to: AccountScope) {
        let (current, stores) = (try await context.client.shownScope(), try await context.client.accounts.all())
        func scope(_ text: String) throws -> AccountScope { try StoreReference(text: text).resolve(among: stores) }
        if from == nil && to == nil && current == .userless {
            throw Failure(
                .notSignedIn, "unauthorized",
                "There is no session to move to. Open one with kith session new, or name accounts with --from and --to."
            )
        }
        if back { return (current, .userless) }
        let source = try from.map(scope) ?? (to == nil ? .userless : current)
        return (source, try to.map(scope) ?? current)
    }

    /// A hint to other stores with lists, if the named store has none.
    private func elsewhere(
        _ context: CommandContext, from source: AccountScope, to target: AccountScope
    ) async throws -> String {
        let others = try await context.client.accounts.all()
            .filter { $0.lists > 0 && $0.scope != source && $0.scope != target }
        let goal = try await ListMoving(context: context).goal(target)
        return others.map { store in
            let lists = "\(store.lists == 1 ? "is" : "are") \(store.lists.things("list"))"
            return " There \(lists) in \(store.called): \(store.scope.movingCommand)\(goal)"
        }.joined(separator: ".")
    }
}
