import KithModel

/// The changes of the access to lists.
struct AccessDifference {
    private var granted: [[SQLValue]] = []
    private var changed: [[SQLValue]] = []
    private var withdrawn: [[SQLValue]] = []
    /// The lists that an account can now read, or no longer.
    private(set) var lists: Set<FeedID> = []

    init(of feeds: some Sequence<LedgerFeed>) {
        for feed in feeds.filter({ $0.roles != $0.rolesBefore }).sorted(by: { $0.row.id < $1.row.id }) {
            let (list, old, new) = (feed.row.id, feed.rolesBefore, feed.roles)
            for account in Set(old.keys).union(new.keys).sorted() where old[account] != new[account] {
                let key: [SQLValue] = [.id(account), .id(list)]
                switch (old[account], new[account]) {
                case (nil, let role?): granted.append(key + [.text(role.rawValue)])
                case (_?, let role?): changed.append(key + [.text(role.rawValue)])
                case (_, nil): withdrawn.append(key)
                }
                if old[account] == nil || new[account] == nil { lists.insert(list) }
            }
        }
    }

    /// Writes the difference. Rounds learn from the revisions which lists were granted and which were lost.
    ///
    /// A row of a lost list stays when the list is granted again: it may be lost once more, and a replica may have missed
    /// both.
    func write(at revision: Revision, in transaction: any Transaction) throws {
        try transaction.insert(
            into: "access", ["account", "feed", "role", "revision"], granted.map { $0 + [.revision(revision)] },
            replacing: ["account", "feed"])
        try transaction.insert(
            into: "access", ["account", "feed", "role"], changed, replacing: ["account", "feed"])
        try transaction.insert(
            into: "lost_access", ["account", "feed", "revision"], withdrawn.map { $0 + [.revision(revision)] },
            replacing: ["account", "feed"])
        try transaction.delete(from: "access", ["account", "feed"], withdrawn)
    }
}
