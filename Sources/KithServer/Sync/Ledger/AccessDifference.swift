import KithModel

/// The difference between two states of the access to lists.
struct AccessDifference {
    private var granted: [[SQLValue]] = []
    private var changed: [[SQLValue]] = []
    private var withdrawn: [[SQLValue]] = []
    /// The lists that an account can now read, or no longer.
    private(set) var lists: Set<FeedID> = []

    init(from before: [FeedID: [AccountID: Role]], to after: [FeedID: [AccountID: Role]]) {
        for list in after.keys.sorted() where before[list] != after[list] {
            let (old, new) = (before[list] ?? [:], after[list] ?? [:])
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
