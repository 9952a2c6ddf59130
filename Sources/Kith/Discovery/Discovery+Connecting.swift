package import KithModel
import Synchronization

/// How those who are found become contacts.
extension Discovery {
    /// Says how somebody who was found is connected with, by the account `me`; nil for whichever is the current one.
    package func onConnect(_ connect: @escaping @Sendable (AccountID, _ me: AccountID?) async throws -> Void) {
        state.withLock { $0.connect = connect }
    }

    /// Connects with people who were found, each account once.
    ///
    /// - Throws: ``KithError``; who was connected with before that stays so.
    public func connect(with matches: [Match]) async throws {
        try await connect(with: matches, by: nil)
    }

    private func connect(with matches: [Match], by me: AccountID?) async throws {
        guard let connect = state.withLock({ $0.connect }) else {
            throw KithError(.unsupported, "This version cannot connect with people yet.")
        }
        for account in Set(matches.map(\.account)).sorted() { try await connect(account, me) }
    }

    /// Connects with those who are found and with whom there was nothing yet, or who ask; if that is wished.
    ///
    /// Who they are follows from all that is known, and not from what one look has found: nobody is left out because a
    /// look was broken off, and nobody is asked again who was removed.
    func connectAutomatically(for account: ReplicaAccount) async throws {
        let isWished = try await replica.read { db, _ in try LookupRows(db: db, account: account.key).connects() }
        guard isWished else { return }
        // Before the first round it is not known with whom there was something already.
        if try await replica.read({ $1.completed == nil }) { try await engine.syncNow() }
        let (matches, me) = try await replica.read { db, current in
            guard current.key == account.key else { return ([Match](), AccountID?.none) }
            let new = try LookupRows(db: db, account: current.key).matches().filter { match in
                try match.account != current.id
                    && NetworkContact.fetch(db, current.key, match.account).map(\.asksMe) ?? true
            }
            return (new, current.id)
        }
        try await connect(with: matches, by: me)
    }
}
