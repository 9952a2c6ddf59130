public import Kith
import KithModel

/// How those who are found become contacts.
extension Discovery {
    /// Connects the current account with people who were found, each once. Left alone are whoever there is a request, a
    /// refusal or a block for already, and oneself.
    ///
    /// - Throws: ``KithError``; who was connected with before that stays so. `full` if no more fit; `refused` if another
    ///   account becomes the current one meanwhile.
    public func connect(with matches: [Match]) async throws {
        try await connect(with: matches, for: replica.read { $1.mark })
    }

    /// The same for the account that has found them: another one does not ask them.
    package func connect(with matches: [Match], for account: ReplicaAccount.Mark) async throws {
        for found in Set(matches.map(\.account)).sorted() {
            try await replica.write { transaction in
                try transaction.account.check(account)
                try Changes(transaction, isGroup: false).connectOnceFound(found)
            }
            engine.note(.edited)
        }
    }

    /// Connects with those who are found and with whom there was nothing yet, or who ask; if that is wished.
    ///
    /// Who they are follows from all that is known, and not from what one look has found: nobody is left out because a
    /// look was broken off, and nobody is asked again who was removed.
    func connectAutomatically(for account: ReplicaAccount.Mark) async throws {
        let isWished = try await replica.read { db, _ in try LookupRows(db: db, account: account.key).connects() }
        guard isWished else { return }
        if try await unconnected(account).isEmpty { return }
        // Another device of the account may have blocked or removed them since.
        try await engine.syncNow()
        do {
            try await connect(with: unconnected(account), for: account)
        } catch KithError.Code.full {
            // No failure of the look: who could not be connected with is found all the same.
        }
    }

    private func unconnected(_ account: ReplicaAccount.Mark) async throws -> [Match] {
        try await replica.read { db, current in
            try current.check(account)
            return try Match.fetchAll(db, account.key).filter { match in
                try match.account != account.id
                    && NetworkContact.fetch(db, account.key, match.account).map(\.asksMe) ?? true
            }
        }
    }
}
