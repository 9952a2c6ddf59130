import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session decide`: keeps, moves or drops the stores that a sign-in or a new session has hidden.
    struct Decide: SwitchingCommand {
        static let configuration = CommandConfiguration(
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
            let hiding = Hiding(stores: chosen, current: try await context.shown())
            let done = try await context.decide(hiding, choice)
            return CommandAnswer(
                ["decided": chosen.map(\.shape), "choice": done?.rawValue],
                chosen.isEmpty ? "There is nothing to decide." : "Decided.")
        }
    }
}

extension CommandContext {
    /// Carries out the decision about the stores that a sign-in has hidden, then syncs, even without a decision.
    ///
    /// - Returns: The hidden stores, and what was done with the last one, for `--json`.
    /// - Throws: As ``decide(_:_:)``.
    func settle(signIn hidden: HiddenStores, _ choice: StoreChoice?, yes: Bool) async throws -> Shape {
        let hiding = Hiding(hidden)
        let decision: Result<StoreChoice?, any Error>
        do {
            decision = .success(try await decide(hiding, yes ? choice ?? .keep : choice))
        } catch {
            decision = .failure(error)
        }
        await syncBriefly()
        return ["hidden": hiding.stores.map(\.shape), "choice": try decision.get()?.rawValue]
    }

    /// Carries out the decision of a command's options: see ``settle(signIn:_:yes:)``.
    func settle(signIn hidden: HiddenStores, _ options: SignInOptions) async throws -> Shape {
        try await settle(signIn: hidden, options.choice, yes: options.yes)
    }

    /// Carries out the decision about stores that a sign-in has hidden. Without a given one, asks about each store.
    ///
    /// - Returns: What was done with the last store; nil if there is none.
    /// - Throws: ``Failure`` `undecided`, which lists the stores, if no decision is given and nobody can be asked.
    func decide(_ hiding: Hiding, _ given: StoreChoice?) async throws -> StoreChoice? {
        var last: StoreChoice?
        for (index, store) in hiding.stores.enumerated() {
            let one = Hiding(stores: [store], current: hiding.current)
            var choice = given
            let isAsked = choice == nil && console.canAsk
            if isAsked {
                for sentence in one.sentences { console.note(sentence.printable) }
                choice = try ask("Keep the data of \(store.called), move its lists here, or drop it?", about: one)
            }
            guard let choice else { throw try await undecided(Array(hiding.stores[index...]), hiding.current) }
            if !isAsked || choice != .keep { try await settle(one, choice) }
            if try await client.accounts.store(store.scope) != nil {
                try await client.accounts.decide(.keep, about: store.scope)
            }
            last = choice
        }
        return last
    }

    private func undecided(_ stores: [StoredAccount], _ current: AccountScope) async throws -> Failure {
        let isSignedIn = try await client.accounts.store(current)?.isIdentified ?? false
        let list = stores.map { "\($0.called), with \($0.contents)" }.joined(separator: "; ")
        return Failure(
            .usage, "undecided",
            """
            \(isSignedIn ? "You are signed in. " : "")Decide about the accounts that are no longer shown: \(list). Their data stays on this device \
            until then. To decide: kith session decide with \(StoreChoice.flags)
            """, candidates: stores.map(\.scope.typed))
    }
}
