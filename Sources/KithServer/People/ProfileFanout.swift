import Foundation
package import KithModel

/// Tells those who have a person among their contacts, or are in a list with them, what has become of that person: a
/// changed profile, or the end of the account.
///
/// How many there are must not slow the person's own round: so the round only notes that there is something to
/// tell, and this job tells it afterwards, ``step`` people in one transaction. How far it has come is in the
/// database with what it has told, so a restart goes on where it was.
package struct ProfileFanout: Sendable {
    /// How many people one transaction tells.
    package static let step = 200

    /// What is to be told.
    enum Kind: String {
        /// The profile has changed, or that the account is a program's.
        case profile
        /// The account is deleted.
        case deletion
    }

    /// Notes that there is something to tell of these accounts. One of which somebody has been told already is told once
    /// more, from the beginning, when that has come to its end: so nobody who changes their profile all the time keeps others
    /// waiting.
    static func begin(
        _ accounts: [AccountID], _ kind: Kind = .profile, at now: Timestamp, in transaction: any Transaction
    ) throws {
        for account in accounts.sorted() {
            // A deletion is never taken back.
            try transaction.execute(
                """
                INSERT INTO reach (account, kind, queued, after, again) VALUES (?, ?, ?, ?, 0)
                ON CONFLICT (account) DO UPDATE SET
                    again = CASE WHEN reach.after = excluded.after THEN reach.again ELSE 1 END,
                    kind = CASE WHEN reach.kind = 'deletion' THEN reach.kind ELSE excluded.kind END
                """,
                [.id(account), .text(kind.rawValue), .time(now), .bytes(Data())])
        }
    }

    /// Whether there is something to tell.
    package static func isWaiting(in transaction: any Transaction) throws -> Bool {
        try !transaction.query("SELECT account FROM reach LIMIT 1").isEmpty
    }

    /// Tells the next ``step`` people, of the account that has waited longest.
    package static func take(at now: Timestamp, in transaction: any Transaction) throws -> Signals {
        let rows = try transaction.query(
            """
            SELECT account, kind, after, again FROM reach ORDER BY queued, account LIMIT 1\(transaction.dialect.locking("reach"))
            """)
        guard let row = rows.first else { return Signals() }
        let account: AccountID = try row.id(0)
        let kind = Kind(rawValue: try row.text(1)) ?? .profile
        let place: [SQLValue] = [.id(account), row.values[2], .integer(Int64(step))]
        let peers: [FeedID] = try transaction.query(
            "SELECT feed FROM record WHERE id = ? AND collection = 'contact' AND feed > ? ORDER BY feed LIMIT ?", place
        ).map { try $0.id(0) }
        // A deleted account leaves its lists when its contacts have heard of it.
        let isInLists = kind == .profile
        let lists: [FeedID] =
            try !isInLists
            ? []
            : transaction.query(
                "SELECT feed FROM access WHERE account = ? AND feed <> account AND feed > ? ORDER BY feed LIMIT ?",
                place
            ).map { try $0.id(0) }
        let feeds = (peers + lists).sorted().prefix(step)
        guard let last = feeds.last else {
            return try end(of: account, kind, isAgain: try row.flag(3), at: now, in: transaction)
        }
        var needs = LedgerNeeds()
        needs.pairs = peers.filter { $0 <= last }.map { Pair(account: $0.retyped(), peer: account) }
        needs.lists = Set(lists.filter { $0 <= last })
        needs.records = Set(needs.lists.map { .member(account, of: $0) } + [.profile(of: account)])
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        let summary = ledger.summary(of: account)
        for list in needs.lists.sorted() { ledger.refreshName(of: account, in: list) }
        for pair in needs.pairs {
            switch kind {
            case .deletion: ledger.remove(pair.mine)
            case .profile: ledger.refresh(pair.mine, with: summary)
            }
        }
        try ledger.write(in: transaction)
        try transaction.execute("UPDATE reach SET after = ? WHERE account = ?", [.id(last), .id(account)])
        return ledger.signals
    }

    private static func end(
        of account: AccountID, _ kind: Kind, isAgain: Bool, at now: Timestamp, in transaction: any Transaction
    ) throws -> Signals {
        if isAgain {
            try transaction.execute(
                "UPDATE reach SET again = 0, queued = ?, after = ? WHERE account = ?",
                [.time(now), .bytes(Data()), .id(account)])
            return Signals()
        }
        var signals = Signals()
        if kind == .deletion {
            // `kith admin` may have deleted it, which knows of no streams.
            signals.closedAccounts = [account]
            if let lists = try AccountService.leaveNextLists(account, at: now, in: transaction) {
                signals.formUnion(lists)
                return signals
            }
            if try AccountService.clearFeed(of: account, in: transaction) { return signals }
        }
        try transaction.execute("DELETE FROM reach WHERE account = ?", [.id(account)])
        return signals
    }
}
