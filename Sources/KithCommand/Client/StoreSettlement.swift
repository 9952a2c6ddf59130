import Kith
import KithModel

/// Asks what becomes of stores that a command has hidden, and does it.
struct StoreSettlement: Sendable {
    let context: CommandContext
    private var client: KithClient { context.client }
    private var console: Console { context.console }

    /// The stores that were hidden since `scope` was current. A round may replace a session that the server refuses by
    /// a new one.
    private func hidden(since scope: AccountScope) async throws -> Hiding {
        let now = try await client.shownScope()
        guard now != scope else { return Hiding(stores: [], current: now) }
        return Hiding(stores: try await client.accounts.all().filter { $0.scope == scope }, current: now)
    }

    /// Reports the hidden stores, asks what to do with them if there is a person to answer, and does it.
    ///
    /// - Returns: What was done; nil if nothing is hidden.
    @discardableResult
    func settle(_ hiding: Hiding, _ given: StoreChoice?, yes: Bool = false) async throws -> StoreChoice? {
        guard !hiding.stores.isEmpty else { return nil }
        if given != .drop && given != .move { for sentence in hiding.sentences { console.note(sentence.printable) } }
        let choice = try choose("Keep it there, move its lists here, or drop it?", on: hiding, given, yes: yes)
        switch choice {
        case .keep: break
        case .move: try await move(hiding)
        case .drop: try await drop(hiding, isLossSaid: given == nil)
        }
        if given != nil || yes || console.canAsk { try await noteDecision(about: hiding) }
        return choice
    }

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
        await context.syncBriefly()
        return ["hidden": hiding.stores.map(\.shape), "choice": try decision.get()?.rawValue]
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
            // A store that another program has dropped, or shows again, needs no decision.
            if try await client.accounts.store(store.scope)?.isCurrent == false {
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

    /// Stores that the user has decided about the stores, so that nobody is asked about them again.
    private func noteDecision(about hiding: Hiding) async throws {
        let device = try context.wholeDevice()
        let hidden = Set(hiding.stores.map(\.scope))
        for store in try await device.accounts.undecided() where hidden.contains(store.scope) {
            try await device.accounts.decide(.keep, about: store.scope)
        }
    }

    /// The choice for stores: the `given` one, or else the user's answer.
    func choose(_ question: String, on hiding: Hiding, _ given: StoreChoice?, yes: Bool) throws -> StoreChoice {
        if let given { return given }
        guard !hiding.stores.isEmpty && !yes && console.canAsk else { return .keep }
        return try ask(question, about: hiding) ?? .keep
    }

    /// The user's answer about the stores; nil if there is none. The losses of a drop are confirmed.
    func ask(_ question: String, about hiding: Hiding) throws -> StoreChoice? {
        let choice = console.choose(question, ["keep", "move", "drop"]).flatMap(StoreChoice.init)
        if choice == .drop {
            let warning = hiding.endsSessions ? "" : hiding.stores.tokenWarning
            try console.confirm(hiding.loss + warning + " Drop it?", given: false)
        }
        return choice
    }

    /// Drops the stores, and reports the losses unless the question has listed them.
    func drop(_ hiding: Hiding, isLossSaid: Bool) async throws {
        let accounts = try context.wholeDevice().accounts
        // A store that another program shows again is not dropped.
        for store in hiding.stores {
            if try await accounts.store(store.scope) == nil { continue }
            try await accounts.decide(.drop, about: store.scope)
        }
        guard !hiding.stores.isEmpty else { return }
        let anonymous = hiding.stores.filter(\.needsToken).map {
            " The session of \($0.called) is anonymous: it cannot be opened again without its token or a recovery code."
        }
        console.note((isLossSaid ? "Dropped." : "Dropped. \(hiding.loss)\(anonymous.joined())").printable)
    }

    /// Settles the stores that were hidden since `scope` was current, because this command has opened a new session in place
    /// of one that the server refused.
    ///
    /// If another program has switched the account, the user decides there: nothing is asked, moved or dropped here.
    ///
    /// - Returns: What was done; nil if nothing is hidden, or another program has hidden it.
    @discardableResult
    func settleReplaced(since scope: AccountScope, _ choice: StoreChoice?) async throws -> StoreChoice? {
        let hiding = try await hidden(since: scope)
        guard hiding.current != scope else { return nil }
        guard client.engine.openedAccount.map(AccountScope.account) == hiding.current else {
            noteSwitch(hiding, from: scope, choice)
            return nil
        }
        if scope != .userless {
            // Kith leaves lists with other people in the old account.
            let taken = try await client.lists.all(within: hiding.current)
                .filter { $0.role == .owner && $0.access == .private }
            let names = taken.count > 3 ? taken.count.things("list") : taken.quoted
            let news = taken.isEmpty ? "" : " It has taken over what was not sent: \(names)."
            console.note("The server no longer accepts the session's token. A new session is open.\(news)".printable)
        }
        return try await settle(hiding, choice)
    }

    /// Notes that another program has switched the account since `scope` was current.
    private func noteSwitch(_ hiding: Hiding, from scope: AccountScope, _ choice: StoreChoice?) {
        // Its first session has taken over the store without an account.
        if scope == .userless && hiding.stores.isEmpty { return }
        let rest = choice == .move || choice == .drop ? " Nothing was moved or dropped." : ""
        let current = if case .account(let id) = hiding.current { id.called } else { "\(hiding.current)" }
        console.note("Another program has switched this device to \(current) meanwhile.\(rest)".printable)
        for sentence in hiding.sentences { console.note(sentence.printable) }
    }

    /// Does `work` for the current account, and then reports the stores that it has hidden, even if it fails. If another
    /// program switches the account meanwhile, `work` fails before it changes or sends anything in that account.
    func tellingWhatIsHidden<Done: Sendable>(_ work: () async throws -> Done) async throws -> Done {
        let before = try await client.shownScope()
        let done: Done
        do {
            done = try await client.replica.forCurrentAccount {
                try await context.requireNamed()
                return try await work()
            }
        } catch {
            await settleAfterFailure(since: before, nil)
            throw error
        }
        try await settleReplaced(since: before, nil)
        return done
    }

    /// Settles the stores that a failing command has hidden. The command's own error is thrown afterwards. A second
    /// error becomes a note.
    func settleAfterFailure(since scope: AccountScope, _ choice: StoreChoice?) async {
        do {
            try await settleReplaced(since: scope, choice)
        } catch {
            if let failure = Failure(error) { console.note(failure.sentence.printable) }
        }
    }

    /// Moves the lists of the stores to the current one, and reports what stays. If that fails, reports where they are.
    private func move(_ hiding: Hiding) async throws {
        do {
            let moving = ListMoving(context: context)
            for store in hiding.stores {
                try await moving.move(from: store, to: hiding.current)
                try await moving.noteRest(of: store.scope)
            }
        } catch {
            for sentence in hiding.sentences { console.note(sentence.printable) }
            throw error
        }
    }
}

extension StoredAccount {
    /// Whether only the token leads to the account again after its store was dropped.
    fileprivate var needsToken: Bool { canSend && state == .anonymous }
}

extension [StoredAccount] {
    /// What to do before the stores are dropped, if some are anonymous; empty otherwise.
    var tokenWarning: String {
        let commands = filter(\.needsToken).map {
            $0.isCurrent ? "kith session show --token" : "kith --account \($0.scope.typed) session show --token"
        }
        if commands.isEmpty { return "" }
        let reason = " An anonymous session cannot be opened again without its token or a recovery code."
        return "\(reason) To see the token: \(commands.joined(separator: "; "))."
    }
}
