import Kith
import KithModel

/// Moves lists from one store of the device to another, and reports which stay.
struct ListMoving {
    let context: CommandContext

    /// Moves the lists of a store that are not shared with others, reports which stay, and notifies the store's server
    /// if possible.
    func move(from store: StoredAccount, to scope: AccountScope) async throws {
        let (free, shared) = try await movable(from: store)
        let moved = try await context.lists.moveLists(free.map(\.id), from: store.scope, to: scope)
        // A list that keeps its id was never sent, so no other device has it.
        let known = moved.filter { $0.key != $0.value }.count
        let loss =
            store.canSend && known > 0 ? " Other devices of that account lose \(known == 1 ? "it" : "them")." : ""
        context.console.note("Moved \(moved.count.things("list")) from \(store.called).\(loss)".printable)
        try await noteStaying(shared, in: store, to: scope)
        try await sendRest(of: store.scope)
    }

    /// The lists of a store: those that can be moved without taking them from other people, and the rest.
    func movable(from store: StoredAccount) async throws -> (free: [SharedList], shared: [SharedList]) {
        let all = try await context.lists.all(within: store.scope)
        guard store.removesMovedLists else { return (all, []) }
        return (all.filter { !$0.isOthersToo }, all.filter(\.isOthersToo))
    }

    /// Reports which lists stay in a store because other people are in them, and how to move them to `target` anyway.
    func noteStaying(_ shared: [SharedList], in store: StoredAccount, to target: AccountScope) async throws {
        let ends = " --from \(store.scope.typed)\(try await goal(target))"
        for (cost, lists) in shared.byCostOfMoving {
            let names = lists.map(\.name.shellWord).joined(separator: " ")
            context.console.note(
                """
                \(lists.quoted) \(lists.count == 1 ? "stays" : "stay") in \(store.called). \(cost) To move \
                \(lists.count == 1 ? "it" : "them") all the same: kith move-lists \(names)\(ends)
                """.printable)
        }
    }

    /// The option of `kith move-lists` that names `target`; empty for the current store, where lists go without it.
    func goal(_ target: AccountScope) async throws -> String {
        let current = try await context.client.shownScope()
        return context.only == nil && current == target ? "" : " --to \(target.typed)"
    }

    /// Reports what stays in a store after its lists were moved, because it belongs to its account.
    func noteRest(of scope: AccountScope) async throws {
        let store = try await context.client.accounts.store(scope)
        guard let store, !store.contentsBesidesLists.isEmpty else { return }
        context.console.note(
            """
            Only lists move. This stays in \(store.called): \(store.contentsBesidesLists). To see it: \
            \(store.showingCommands); to delete it from this device: kith drop-data \(scope.typed)
            """.printable)
    }

    /// Tries briefly to send the waiting edits of a hidden store, and reports what stays there.
    func sendRest(of scope: AccountScope) async throws {
        let accounts = context.client.accounts
        guard let before = try await accounts.store(scope), before.waiting > 0, !before.isCurrent else { return }
        // The named address too: the account's own server may have moved there.
        let known = before.address.map { [$0] } ?? []
        for server in known + (context.location.server.map { known.contains($0) ? [] : [$0] } ?? [])
        where before.canSend && !context.isOffline {
            guard let other = try? context.location.client(of: scope, at: server) else { continue }
            let sending: Void? = try? await context.console.progress("Sending") {
                try await within(CommandContext.answerTimeout) { try await other.syncNow() }
            }
            if sending != nil { break }
        }
        let after = try await accounts.store(scope)
        if let advice = after?.sendingAdvice { context.console.note(advice.printable) }
        if let after, after.rejections > before.rejections {
            let command = "kith --account \(scope.typed) rejections"
            context.console.note("The server refused edits of \(after.called). To see why: \(command)".printable)
        }
    }
}

extension SharedList {
    /// Whether other people are in the list, or read it.
    fileprivate var isOthersToo: Bool { access != .private || role != .owner }

    /// The consequences of moving the list, and the people who lose it.
    fileprivate var costOfMoving: String {
        switch role {
        case .owner where access == .public:
            "Moving makes a copy for you alone: its public link ends, and anybody else who is in it loses it."
        case .owner: "Moving makes a copy for you alone; everybody else who is in the list loses it."
        default: "Another person owns it: moving makes a private copy, and you leave the list."
        }
    }
}

extension [SharedList] {
    /// The consequences of moving the lists: each once, with the lists that cause it.
    var byCostOfMoving: [(cost: String, lists: [SharedList])] {
        Dictionary(grouping: self, by: \.costOfMoving).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Their names, in quotation marks.
    var quoted: String { map { "“\($0.name)”" }.joined(separator: ", ") }
}
