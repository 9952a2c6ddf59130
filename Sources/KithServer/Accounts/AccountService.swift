package import KithModel

/// Deletes accounts, and marks accounts as bots.
package struct AccountService: Sendable {
    private let database: any Database
    private let signals: SignalSender

    /// A service over `database`, which sends the signals of its commits.
    package init(database: any Database, signals: SignalSender = .none) {
        self.database = database
        self.signals = signals
    }

    /// Deletes an account. Its sessions end, and nobody finds it any more. The hashes of its tokens stay, so that its
    /// devices learn of the deletion.
    ///
    /// The deletion reaches its lists and the contacts of other people in the background: see ``ProfileFanout``. A list
    /// that it owns is handed over to another member, so that nobody's data is lost with another person's account: to
    /// an editor before a viewer, and among them to the oldest account. A list without other members is deleted.
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    package func delete(_ account: AccountID, at now: Timestamp) async throws {
        try await database.write { transaction in try Self.delete(account, at: now, in: transaction) }
        var told = Signals()
        told.closedAccounts = [account]
        told.hasNewProfiles = true
        await signals.send(told)
    }

    /// Sets whether an account is a bot. The contacts of other people are updated in the background.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is no such account.
    package func setBot(_ isBot: Bool, _ account: AccountID, at now: Timestamp) async throws {
        try await database.write { transaction in
            let rows = try transaction.query(
                "UPDATE account SET is_bot = ? WHERE id = ? RETURNING id", [.flag(isBot), .id(account)])
            guard !rows.isEmpty else { throw Self.noSuchAccount }
            try ProfileFanout.begin([account], at: now, in: transaction)
        }
        var told = Signals()
        told.hasNewProfiles = true
        await signals.send(told)
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
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT id, is_bot, created, (SELECT count(*) FROM identity WHERE identity.account = account.id)
                FROM account ORDER BY id DESC LIMIT ?
                """, [.integer(Int64(limit))]
            ).map {
                Entry(
                    account: try $0.id(0), isBot: try $0.flag(1), created: try $0.time(2),
                    identities: Int(try $0.integer(3)))
            }
        }
    }

    /// Checks that the account exists.
    ///
    /// - Throws: ``ServerError`` with the code `notFound` if there is none.
    package static func require(_ account: AccountID, in transaction: any Transaction) throws {
        guard try !transaction.query("SELECT 1 FROM account WHERE id = ?", [.id(account)]).isEmpty else {
            throw noSuchAccount
        }
    }

    /// ``delete(_:at:)`` without waiting, for the simulation.
    package static func deleteNow(_ account: AccountID, at now: Timestamp, on database: SQLiteDatabase) throws {
        try database.writeNow { transaction in try delete(account, at: now, in: transaction) }
    }

    private static let noSuchAccount = ServerError(.notFound, "There is no such account.")

    private static func delete(_ account: AccountID, at now: Timestamp, in transaction: any Transaction) throws {
        let rows = try transaction.query("DELETE FROM account WHERE id = ? RETURNING id", [.id(account)])
        guard !rows.isEmpty else { throw noSuchAccount }
        try transaction.execute(
            "DELETE FROM access WHERE account = ? AND feed = ?", [.id(account), .id(account)])
        // The row of the feed stays, so that its id is not used again.
        let feeds = try FeedRow.lock([account.retyped()], in: transaction).map { feed in
            var feed = feed
            feed.isClosed = true
            return feed
        }
        try FeedRow.update(feeds, in: transaction)
        try IdentityRegister(at: now).remove(account, in: transaction)
        try Directory.remove(account, in: transaction)
        try DailyQuota.remove(of: account, in: transaction)
        try Pictures.remove(of: account, in: transaction)
        try RemovedRows.remove(of: account, in: transaction)
        try ProfileFanout.begin([account], .deletion, at: now, in: transaction)
    }
}

extension ServerError {
    /// The error for requests of a deleted account.
    static let accountClosed = ServerError(.accountClosed, "The account was deleted. Open a new session.")
}

// MARK: - In the background

extension AccountService {
    /// The number of lists that a deleted account leaves in one transaction, and of its records that are deleted in
    /// one.
    private static let (lists, records): (Int64, Int64) = (10, 1_000)

    /// Removes a deleted account from its next lists.
    ///
    /// - Returns: The signals to send; nil if it is in no list any more.
    static func leaveNextLists(
        _ account: AccountID, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals? {
        let rows = try transaction.query(
            "SELECT feed FROM access WHERE account = ? ORDER BY feed LIMIT ?", [.id(account), .integer(lists)])
        guard !rows.isEmpty else { return nil }
        var needs = LedgerNeeds()
        for row in rows {
            let list: FeedID = try row.id(0)
            needs.person(account, in: list)
            needs.ending.insert(list)
        }
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        for list in needs.lists.sorted() { ledger.depart(account, list) }
        try ledger.write(in: transaction)
        return ledger.signals
    }

    /// Removes the next records of a deleted account's own feed, then the stored data of its devices.
    ///
    /// - Returns: Whether there may be more.
    static func clearFeed(of account: AccountID, in transaction: any Transaction) throws -> Bool {
        let rows = try transaction.query(
            "SELECT feed, id FROM record WHERE feed = ? ORDER BY id LIMIT ?", [.id(account), .integer(records)])
        try transaction.execute(
            wanted: ["feed", "id"], rows.map(\.values),
            "DELETE FROM record WHERE (feed, id) IN (SELECT feed, id FROM wanted)")
        if rows.count == records { return true }
        // The stored outcomes of its devices' mutations, because rejections quote the mutations.
        let taken = try transaction.query(
            "SELECT account, device, number FROM taken WHERE account = ? LIMIT ?", [.id(account), .integer(records)])
        try transaction.execute(
            wanted: ["account", "device", "number"], taken.map(\.values),
            "DELETE FROM taken WHERE (account, device, number) IN (SELECT account, device, number FROM wanted)")
        if taken.count == records { return true }
        try transaction.execute("DELETE FROM device WHERE account = ?", [.id(account)])
        let feeds = try FeedRow.lock([account.retyped()], in: transaction).map { feed in
            var feed = feed
            feed.empty()
            return feed
        }
        try FeedRow.update(feeds, in: transaction)
        return false
    }
}

extension Ledger {
    /// Removes a deleted account from a list. If it was the owner, another person becomes the owner, or the list ends.
    fileprivate mutating func depart(_ account: AccountID, _ list: FeedID) {
        guard role(of: account, in: list) == .owner else { return leave(account, list) }
        let others = people(of: list).filter { $0 != account }
        // Ids sort by the time of their creation.
        guard
            let heir = others.first(where: { role(of: $0, in: list) == .editor }) ?? others.first
        else {
            remove(.list(list))
            return end(list)
        }
        appoint(heir, .owner, in: list)
        leave(account, list)
    }
}
