import GRDB
public import KithModel

/// A number or email of the address book that uses the service, and the account that has it.
public struct Match: Hashable, Sendable {
    /// The number or email.
    public let identity: Identity
    /// The account that has it.
    public let account: AccountID

    /// Creates a match.
    public init(identity: Identity, account: AccountID) { (self.identity, self.account) = (identity, account) }

    /// The known matches of a store, ordered by identity.
    package static func fetchAll(in store: Store) throws -> [Match] {
        let rows = try Row.fetchAll(
            store.db,
            sql: "SELECT identity, match FROM lookup WHERE account = ? AND match IS NOT NULL ORDER BY identity",
            arguments: [store.key])
        return rows.compactMap { row in Identity(row[0]).map { Match(identity: $0, account: row[1]) } }
    }

    /// Marks the address book for a lookup as soon as possible.
    static func setDue(in store: Store) throws {
        try store.db.execute(sql: "UPDATE discovery SET looked = NULL WHERE account = ?", arguments: [store.key])
    }
}

extension [Match] {
    /// The account behind each identity.
    package var accounts: [Identity: AccountID] { byIdentity.mapValues(\.account) }

    /// The match of each identity.
    package var byIdentity: [Identity: Match] { Dictionary(map { ($0.identity, $0) }) { first, _ in first } }
}

extension Changed<Match> {
    /// The differences between two readings of the matches, ordered by identity.
    package init(from before: [Match], to after: [Match], origin: ChangeOrigin) {
        self.init(origin: origin)
        let (old, new) = (before.byIdentity, after.byIdentity)
        for identity in Set(old.keys).union(new.keys).sorted() { add(old[identity], new[identity]) }
    }
}
