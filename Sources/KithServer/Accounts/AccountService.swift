package import KithModel

/// Deletes accounts, and marks accounts as bots.
package struct AccountService: Sendable {
    private let database: any Database
    private let signals: SignalSender

    /// A service over `database`, which sends the signals of its commits.
    package init(database: any Database, signals: SignalSender) {
        self.database = database
        self.signals = signals
    }

    /// Deletes an account on behalf of its owner, who has decided what happens to its lists.
    ///
    /// The lists are handed over or deleted first, ``ListHandover/step`` of them in one transaction, so that other writes
    /// do not wait long. A repeated call continues where an interrupted one has stopped.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - deletion: What happens to the lists in which other people are.
    ///   - now: The server's time.
    /// - Throws: ``ServerError``: `listsUndecided` if other people are in a list without a decision, or a decision cannot be
    ///   carried out; `notFound` if there is no such account.
    package func delete(_ account: AccountID, deciding deletion: AccountDeletion, at now: Timestamp) async throws {
        let handover = ListHandover(of: account, deletion)
        try await database.read { transaction in try handover.check(in: transaction) }
        var isDeleted = false
        while !isDeleted {
            isDeleted = try await signals.commit(in: database) { transaction in
                if let signals = try handover.takeNext(at: now, in: transaction) {
                    return Committed(false, signals: signals)
                }
                // In the same transaction, so that with SQLite nobody joins a list in between. In PostgreSQL somebody can;
                // the background job then makes them its owner.
                try Self.delete(account, at: now, in: transaction)
                return Committed(true, signals: Self.signals(ofDeleted: account))
            }
        }
    }

    /// The names of the lists of an account in which other people are. Its owner decides what becomes of them before the account
    /// is deleted.
    package func sharedLists(of account: AccountID) async throws -> [String] {
        try await database.read { try ListHandover(of: account, AccountDeletion()).names(in: $0) }
    }

    /// Deletes an account. Its sessions end, and nobody can find it. The hashes of its tokens stay, so that its devices
    /// learn of the deletion.
    ///
    /// In the background, the account is removed from its lists and from the contacts of other people: see
    /// ``ProfileFanout``. A list that it owns is handed over to another member, so that the other members do not lose
    /// it: see ``ListHeir``. A list without other members is deleted. This is for operators: an owner decides with
    /// ``delete(_:deciding:at:)``.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    package func delete(_ account: AccountID, at now: Timestamp) async throws {
        try await signals.commit(in: database) { transaction in
            try Self.delete(account, at: now, in: transaction)
            return Committed((), signals: Self.signals(ofDeleted: account))
        }
    }

    /// Sets whether an account is a bot. The contacts of other people are updated in the background.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    package func setBot(_ isBot: Bool, _ account: AccountID, at now: Timestamp) async throws {
        try await signals.commit(in: database) { transaction in
            guard try AccountTable.setBot(isBot, account, in: transaction) else { throw Self.noSuchAccount }
            try ProfileFanout.begin([account], at: now, in: transaction)
            return Committed((), signals: Signals(topics: [.profiles]))
        }
    }

    /// An account as the operator sees it.
    package struct Entry: Hashable, Sendable {
        package let account: AccountID
        package let isBot: Bool
        package let created: Timestamp
        /// The number of phone numbers and emails by which it can be found.
        package let identities: Int
    }

    /// The newest accounts, newest first; at most `limit`.
    package func newest(_ limit: Int) async throws -> [Entry] {
        try await database.read { transaction in try AccountTable.newest(limit, in: transaction) }
    }

    /// Checks that the account exists.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none.
    package static func require(_ account: AccountID, in transaction: any Transaction) throws {
        guard try AccountLock.exists(account, in: transaction) else { throw noSuchAccount }
    }

    private static let noSuchAccount = ServerError(.notFound, "There is no such account.")

    /// ``delete(_:at:)`` in a transaction, which sends no signals.
    package static func delete(_ account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        guard try AccountTable.delete(account, in: transaction) else { throw noSuchAccount }
        try transaction.execute(
            "DELETE FROM access WHERE account = ? AND feed = ?", [.id(account), .id(account)])
        // The row of the feed stays, so that its id is not used again.
        try FeedRow.change([account.retyped()], in: transaction) { $0.isClosed = true }
        let register = IdentityRegister(at: now)
        try MessageQueue.forget(try register.identities(of: account, in: transaction), in: transaction)
        try register.remove(account, in: transaction)
        try MessageQueue.remove(of: account, in: transaction)
        try CodeRow.remove(of: account, in: transaction)
        try SessionTable.forget(account, in: transaction)
        try InvitationRow.remove(of: account, at: now, in: transaction)
        try ShareCodeRow.forget(account, in: transaction)
        for table in DeletedAccountTables.deleted {
            try transaction.execute("DELETE FROM \(table) WHERE account = ?", [.id(account)])
        }
        try ProfileFanout.begin([account], .deletion, at: now, in: transaction)
    }

    /// What the deletion of an account leaves to do: other people's contacts, and its open invitations.
    private static func signals(ofDeleted account: AccountID) -> Signals {
        Signals(topics: [.profiles, .invitations], closedAccounts: [account])
    }
}
