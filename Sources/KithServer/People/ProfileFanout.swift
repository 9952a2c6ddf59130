import Foundation
package import KithModel

/// Propagates a person's change to the people who have that person among their contacts or are in a list with them: a
/// changed profile, or the deletion of the account.
///
/// The number of these people must not slow the person's own round. The round therefore only stores that there is
/// something to propagate, and this job propagates it afterwards, a limited number of people per transaction. The
/// progress is stored in the same transaction, so the job continues after a restart.
package struct ProfileFanout: Sendable {
    /// The number of people that one transaction tells of a changed profile.
    package static let step = 500

    /// The kind of change.
    enum Kind: String {
        /// The profile has changed, or whether the account is a bot.
        case profile
        /// The account is deleted.
        case deletion

        /// The number of people that one transaction processes. To remove a contact takes longer than to change one.
        fileprivate var step: Int {
            switch self {
            case .profile: ProfileFanout.step
            case .deletion: 200
            }
        }
    }

    /// Stores that these accounts have changed. If the propagation of an account is already in progress, it runs once
    /// more from the beginning after it ends. An account that changes all the time therefore cannot delay the others.
    ///
    /// `again` counts the changes, because the first step reads whom to tell before it locks the row.
    static func begin(
        _ accounts: [AccountID], _ kind: Kind = .profile, at now: Timestamp, in transaction: any Transaction
    ) throws {
        for account in accounts.sorted() {
            // A deletion is never undone.
            try transaction.execute(
                """
                INSERT INTO reach (account, kind, queued, after, again) VALUES (?, ?, ?, ?, 0)
                ON CONFLICT (account) DO UPDATE SET
                    again = reach.again + 1,
                    kind = CASE WHEN reach.kind = 'deletion' THEN reach.kind ELSE excluded.kind END
                """,
                [.id(account), .text(kind.rawValue), .time(now), .bytes(Data())])
        }
    }

    /// Whether there is something to propagate.
    package static func isWaiting(in transaction: any Transaction) throws -> Bool {
        try transaction.exists("SELECT account FROM reach LIMIT 1")
    }

    /// Takes one step after another while one is waiting. Other writes can run between two steps.
    static func takeAll(from database: any Database, _ signals: SignalSender, clock: ServerClock) async throws {
        // This check needs no commit.
        while !Task.isCancelled, try await database.read({ try isWaiting(in: $0) }) {
            try await signals.commit(in: database) {
                Committed((), signals: try take(at: clock.time(), in: $0))
            }
        }
    }

    /// An account whose change is propagated, and how far.
    private struct Progress: Equatable {
        let account: AccountID
        let kind: Kind
        /// The last processed feed; empty at the beginning.
        let after: Data
        let queued: Timestamp
        /// The number of changes that were stored since the run began; before its first step, of those that it tells.
        var changes: Int64

        static let columns = "account, kind, after, queued, again"

        init(_ row: SQLRow) throws {
            account = try row.id(0)
            kind = Kind(rawValue: try row.text(1)) ?? .profile
            after = try row.bytes(2)
            queued = try row.time(3)
            changes = try row.integer(4)
        }

        /// Locks the row, unless it has changed since it was read.
        ///
        /// Call it when the feeds are locked: a push locks the feeds first, too, and then writes the row.
        ///
        /// - Returns: Whether the propagation is to run once more; nil if the row has changed.
        func lock(in transaction: any Transaction) throws -> Bool? {
            let row = try transaction.query(
                "SELECT \(Self.columns) FROM reach WHERE account = ?\(transaction.dialect.locking("reach"))",
                [.id(account)]
            ).first
            guard var current = try row.map(Progress.init) else { return nil }
            let isAgain = current.changes != (after.isEmpty ? changes : 0)
            current.changes = changes
            return current == self ? isAgain : nil
        }

        func store(_ last: FeedID, isAgain: Bool, in transaction: any Transaction) throws {
            try transaction.execute(
                "UPDATE reach SET after = ?, again = ? WHERE account = ?", [.id(last), .flag(isAgain), .id(account)])
        }

        /// Removes the row, or lets the propagation run once more.
        func end(isAgain: Bool, at now: Timestamp, in transaction: any Transaction) throws {
            if isAgain {
                try transaction.execute(
                    "UPDATE reach SET again = 0, queued = ?, after = ? WHERE account = ?",
                    [.time(now), .bytes(Data()), .id(account)])
            } else {
                try transaction.execute("DELETE FROM reach WHERE account = ?", [.id(account)])
            }
        }
    }

    /// Processes the next people of the account that has waited longest. If the account has changed in the meantime, it
    /// does nothing.
    ///
    /// Only one node at a time takes a step. The others wait before they read or lock anything: all of them would take
    /// the same step, and a deletion locks feeds before the row of `reach` in some steps, and after it in others.
    package static func take(at now: Timestamp, in transaction: any Transaction) throws -> Signals {
        try transaction.lockName(Data("reach".utf8))
        let first = "SELECT \(Progress.columns) FROM reach ORDER BY queued, account LIMIT 1"
        guard let row = try transaction.query(first).first else { return Signals() }
        let progress = try Progress(row)
        let step = progress.kind.step
        // One more than are processed, which shows whether these are the last ones.
        let place: [SQLValue] = [.id(progress.account), .bytes(progress.after), .integer(Int64(step + 1))]
        let peers: [FeedID] = try transaction.query(
            "SELECT feed FROM record WHERE id = ? AND collection = 'contact' AND feed > ? ORDER BY feed LIMIT ?", place
        ).map { try $0.id(0) }
        // A deleted account leaves its lists after its contacts have been processed.
        let isInLists = progress.kind == .profile
        let lists: [FeedID] =
            try !isInLists
            ? []
            : transaction.query(
                "SELECT feed FROM access WHERE account = ? AND feed <> account AND feed > ? ORDER BY feed LIMIT ?",
                place
            ).map { try $0.id(0) }
        let feeds = (peers + lists).sorted().prefix(step)
        let areLast = peers.count + lists.count == feeds.count
        guard let last = feeds.last else { return try end(progress, at: now, in: transaction) }
        let (nextLists, nextPeers) = (lists.filter { $0 <= last }, peers.filter { $0 <= last })
        switch progress.kind {
        case .profile:
            return try refresh(
                progress, nextLists, nextPeers, upTo: areLast ? nil : last, at: now, in: transaction)
        case .deletion: return try remove(progress, nextPeers, upTo: last, at: now, in: transaction)
        }
    }

    /// Writes what may be seen of a profile into the lists and contacts in these feeds, and ends if they are the last
    /// ones: then `last` is nil.
    ///
    /// The feed of the account itself need not be locked: whoever changes the profile or the account waits for the row
    /// of `reach`, and then lets the job begin again.
    private static func refresh(
        _ progress: Progress, _ lists: [FeedID], _ peers: [FeedID], upTo last: FeedID?, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Signals {
        let account = progress.account
        let update = try BulkUpdate(of: account.retyped(), lists: lists, accounts: peers, in: transaction)
        guard let isAgain = try progress.lock(in: transaction) else { return Signals() }
        let place = RecordPlace.profile(of: account)
        let profile = try RecordRow.read([place], in: transaction)[place]?.state.fields ?? [:]
        let isBot = try transaction.exists("SELECT id FROM account WHERE id = ? AND is_bot = 1", [.id(account)])
        let summary = ProfileSummary(of: profile, isBot: isBot)
        let parts = Dictionary(
            uniqueKeysWithValues: ProfileSummary.Part.allCases.map { ($0, FieldReplacement(summary.fields($0))) })
        let name = FieldReplacement(Ledger.memberFields(of: profile))
        let signals = try update.write(at: now, in: transaction) { record in
            switch record.collection {
            case .members: return name
            case .contacts:
                let contact = try ContactScan(record.fields)
                return parts[ProfileSummary.Part(contact.relation, isBlocked: contact.isBlocked)]
            default: return nil
            }
        }
        if let last {
            try progress.store(last, isAgain: isAgain, in: transaction)
        } else {
            try progress.end(isAgain: isAgain, at: now, in: transaction)
        }
        return signals
    }

    /// Removes a deleted account from the contacts in these feeds.
    private static func remove(
        _ progress: Progress, _ peers: [FeedID], upTo last: FeedID, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Signals {
        let contacts: [RecordPlace] = peers.map { .contact(progress.account, of: $0.retyped()) }
        var needs = LedgerNeeds()
        needs[ContactRules.Needs.self].contacts = contacts
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        guard let isAgain = try progress.lock(in: transaction) else { return Signals() }
        for contact in contacts { ledger.remove(contact) }
        let signals = try ledger.write(in: transaction)
        try progress.store(last, isAgain: isAgain, in: transaction)
        return signals
    }

    /// Ends the propagation, for which nobody is left. A deleted account first leaves its lists, some in each step.
    private static func end(
        _ progress: Progress, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals {
        guard let isAgain = try progress.lock(in: transaction) else { return Signals() }
        var signals = Signals()
        if progress.kind == .deletion, !isAgain {
            let account = progress.account
            // The account may have been deleted by `kith admin`, which has no live streams.
            signals.closedAccounts = [account]
            // Its lists can be locked after the row: no push writes the row of a deleted account, and no other node
            // takes a step now.
            if let lists = try Ledger.leaveNextLists(account, at: now, in: transaction) {
                signals.formUnion(lists)
                return signals
            }
            if try FeedRow.clear(of: account, in: transaction) { return signals }
        }
        try progress.end(isAgain: isAgain, at: now, in: transaction)
        return signals
    }
}

extension Signals.Topic {
    /// Profiles that have changed, and deleted accounts: work for ``ProfileFanout``.
    package static let profiles = Self("profileFanout")
}
