import Kith
import KithModel
import Synchronization

/// Shows the accounts that the current account has found for contacts in the address book.
struct ShownMatches: Sendable {
    let loader: AddressBookLoader
    let replica: Replica

    /// Shows the matches of the current account from now on, also after a switch to another account. The first load
    /// already contains the stored matches.
    func follow() async {
        _ = try? await noteCurrent()
        let found = replica.foundMatches()
        let task = Task { [weak loader, replica] in
            for await _ in found {
                guard let loader else { return }
                let shown = ShownMatches(loader: loader, replica: replica)
                if (try? await shown.noteCurrent()) == false { await loader.arranged() }
            }
        }
        loader.state.withLock { $0.showing = task }
    }

    /// Shows the matches of an account, if it is the current one.
    func show(_ accounts: [Identity: AccountID], of account: ReplicaAccount.Mark) async {
        let isShown = try? await replica.onWriterQueue {
            $0.account.mark != account || self.note(accounts)
        }
        if isShown == false { await loader.arranged() }
    }

    /// Reads the current account's matches.
    ///
    /// - Returns: Whether they were already shown.
    private func noteCurrent() async throws -> Bool {
        // Matches are noted in the order in which they were written.
        try await replica.onWriterQueue {
            self.note(try Match.fetchAll(in: $0.store).accounts)
        }
    }

    private func note(_ accounts: [Identity: AccountID]) -> Bool { loader.state.withLock { $0.note(accounts) } }
}
