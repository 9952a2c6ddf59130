import ArgumentParser
import Kith
import KithModel

extension SessionCommand {
    /// `kith session delete`: deletes the account on the server.
    struct Delete: SwitchingCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete the account on the server permanently.",
            discussion: """
                At a terminal the command asks what to do with the account's data on this device. Enter keeps it, and so \
                does --yes alone. The command also asks about each list of yours that other people are in. A script decides \
                with options. Without a decision, nothing is deleted. A list that only you are in is deleted. You disappear \
                from other people's networks. The deletion cannot be undone. To save your data first: kith session export
                """, aliases: ["delete-account"])
        @OptionGroup var lists: ListDecisions
        @Flag() var choice: StoreChoice?
        @Flag(help: "Do not ask; keep its data on this device, unless another option is given.") var yes = false
        @OptionGroup var options: GlobalOptions

        func answer(_ context: CommandContext) async throws -> CommandAnswer {
            do { try await context.requireServer() } catch let failure as Failure {
                throw Failure(failure.status, failure.code, "Nothing was deleted. \(failure.sentence)")
            }
            guard let account = try await context.client.session.account() else {
                throw Failure(.notSignedIn, "unauthorized", "There is no session whose account could be deleted.")
            }
            let scope = AccountScope.account(account)
            let store = try await synced(account, context)
            let decided = try await lists.decide(context)
            try context.console.confirm(
                "Delete \(store.called) permanently, with \(store.contents)?", given: yes || choice != nil,
                or: StoreChoice.flags)
            do {
                _ = try await context.console.progress("Deleting") {
                    try await context.client.session.deleteAccount(
                        expecting: account, lists: decided.lists, others: decided.others)
                }
            } catch let error as KithError where ExitStatus(error.code) == .offline {
                // Perhaps only the answer was lost. A repeated request does no harm.
                throw Failure(
                    .offline, error.code.rawValue,
                    "Nothing was deleted on this device, nor, as far as it knows, on the server. \(error.sentence)")
            }
            // Read again, because the store is now inactive and its edits are no longer sent.
            let left = try await context.client.accounts.store(scope)
            let hiding = Hiding(stores: left.map { [$0] } ?? [], current: .userless)
            let done = try await context.settlement.settle(hiding, choice, yes: yes)
            let rest = try await context.client.accounts.store(scope)
            if done == nil || done == .move && rest?.isWorthKeeping == false {
                try await context.wholeDevice().accounts.drop(scope)
            }
            let sentence =
                switch done {
                case .keep: "The account is deleted. Its data stays on this device: kith accounts"
                case .move: "The account is deleted. Its lists are now in the store without an account."
                case .drop: "The account is deleted, and its data on this device."
                case nil: "The account is deleted. This device had no other data of it."
                }
            return CommandAnswer(["deleted": account, "choice": (done ?? .drop).rawValue], sentence)
        }

        /// The store of the account, after a short attempt to sync it: the decisions need the current people of each list. If
        /// that fails, the server checks the decisions.
        ///
        /// - Throws: ``Failure`` if the account's session has ended.
        private func synced(_ account: AccountID, _ context: CommandContext) async throws -> StoredAccount {
            // The command's own client would replace a refused anonymous session by that of a new account.
            let client = try context.client(of: account)
            try? await within(CommandContext.answerTimeout) { try await client.syncNow() }
            guard let store = try await client.accounts.store(.account(account)) else {
                throw Failure.notFound("This device has no data of \(AccountScope.account(account)).")
            }
            if store.canSend { return store }
            let result = store.state == .inactive ? "" : "Nothing was deleted. "
            throw Failure(.notSignedIn, "unauthorized", result + store.over())
        }
    }
}

extension StoredAccount {
    /// Whether the store of a deleted account contains something that the user could miss. Its unsent edits cannot be sent
    /// any more.
    fileprivate var isWorthKeeping: Bool { !records.isEmpty || rejections > 0 || lastRemoval != nil }
}
