import Kith
import KithModel

/// Stores that are hidden because another store became current: their contents, and how to reach them.
struct Hiding: Sendable {
    let stores: [StoredAccount]
    /// The store that is now current.
    let current: AccountScope
    /// Whether the command ends the sessions of the stores. Their tokens then open nothing any more.
    let endsSessions: Bool

    init(stores: [StoredAccount], current: AccountScope, endsSessions: Bool = false) {
        (self.stores, self.current) = (stores.filter { !$0.isEmpty }, current)
        self.endsSessions = endsSessions
    }

    init(_ hidden: HiddenStores) { self.init(stores: hidden.stores, current: hidden.current) }

    /// The hidden contents, and how to see, send and move them.
    var sentences: [String] {
        stores.flatMap { store in
            let name = store.scope.typed
            var ways = ["To see it: \(store.showingCommands)"]
            if store.lists > 0 { ways.append("to move its lists here: \(store.scope.movingCommand)") }
            if store.canSend && store.waiting > 0 { ways.append("to send what waits: kith --account \(name) sync") }
            if store.needsSignIn && store.waiting > 0 {
                ways.append("to send what waits, sign in again: kith session register EMAIL")
            }
            if store.lastRemoval != nil {
                ways.append("to put back what was removed last: kith --account \(name) undo")
            }
            if store.canSend || store.scope == .userless { ways.append("to go back: kith session use \(name)") }
            let what = "No longer shown: \(store.called), with \(store.contents). It stays on this device."
            return [what, "  " + ways.joined(separator: "; ")]
        }
    }

    /// The losses if the stores are dropped.
    var loss: String {
        let parts = stores.map { "\($0.called): \($0.contents)" }.joined(separator: "; ")
        return "Lost on this device, unsent edits for good: \(parts)."
    }
}

extension CommandContext {
    /// The store that is current, if the client is not pinned.
    func shown() async throws -> AccountScope {
        try await client.session.account().map(AccountScope.account) ?? .userless
    }

    /// The stores that were hidden since `scope` was current. A round may replace a session that the server refuses by
    /// a new one.
    func hidden(since scope: AccountScope) async throws -> Hiding {
        let now = try await shown()
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

    /// Stores that the user has decided about the stores, so that nobody is asked about them again.
    private func noteDecision(about hiding: Hiding) async throws {
        let device = try wholeDevice()
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
        for store in hiding.stores { try await wholeDevice().accounts.drop(store.scope) }
        guard !hiding.stores.isEmpty else { return }
        let anonymous = hiding.stores.filter(\.needsToken).map {
            " The session of \($0.called) is anonymous: it cannot be opened again without its token."
        }
        console.note((isLossSaid ? "Dropped." : "Dropped. \(hiding.loss)\(anonymous.joined())").printable)
    }

    /// Settles the stores that were hidden since `scope` was current, because a new session replaced one that the
    /// server refused.
    ///
    /// - Returns: What was done; nil if nothing is hidden.
    @discardableResult
    func settleReplaced(since scope: AccountScope, _ choice: StoreChoice?) async throws -> StoreChoice? {
        let hiding = try await hidden(since: scope)
        if scope != .userless && hiding.current != scope {
            // Kith leaves lists with other people in the old account.
            let taken = try await lists.all(within: hiding.current)
                .filter { $0.role == .owner && $0.access == .private }
            let names = taken.count > 3 ? taken.count.things("list") : taken.quoted
            let news = taken.isEmpty ? "" : " It has taken over what was not sent: \(names)."
            console.note("The server no longer accepts the session's token. A new session is open.\(news)".printable)
        }
        return try await settle(hiding, choice)
    }

    /// Does `work`, and then reports the stores that it has hidden, even if it fails.
    func tellingWhatIsHidden<Done>(_ work: () async throws -> Done) async throws -> Done {
        let before = try await shown()
        let done: Done
        do {
            done = try await work()
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
            let moving = ListMoving(context: self)
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
        return " An anonymous session cannot be opened again without its token: \(commands.joined(separator: "; "))."
    }
}
