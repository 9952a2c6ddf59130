import KithModel

/// The statements over the table `removed`: the people that owners have removed from their lists.
enum RemovedTable {
    /// Stores who was removed from which lists. If a list has more than ``Limits/removedPeople``, the oldest are
    /// deleted.
    static func add(_ removed: [FeedID: [RemovedPerson]], in transaction: any Transaction) throws {
        for (list, people) in removed.sorted(by: { $0.key < $1.key }) {
            try transaction.insert(
                into: "removed", ["list", "account", "name", "since"],
                people.map { [.id(list), .id($0.account), .text($0.name), .time($0.removed)] },
                replacing: ["list", "account"])
            try transaction.execute(
                """
                DELETE FROM removed WHERE list = ? AND since < (
                    SELECT since FROM removed WHERE list = ? ORDER BY since DESC LIMIT 1 OFFSET ?
                )
                """, [.id(list), .id(list), .integer(Int64(Limits.removedPeople) - 1)])
        }
    }

    /// The people who are excluded from a list, the last removed first.
    static func all(of list: ListID, in transaction: any Transaction) throws -> [RemovedPerson] {
        try transaction.query(
            "SELECT account, name, since FROM removed WHERE list = ? ORDER BY since DESC, account", [.id(list)]
        ).map {
            RemovedPerson(account: try $0.id(0), name: try $0.optionalText(1), removed: try $0.time(2))
        }
    }

    /// Whether an account is excluded from a list.
    static func contains(_ account: AccountID, of list: ListID, in transaction: any Transaction) throws -> Bool {
        try time(of: account, from: list, in: transaction) != nil
    }

    /// When the owner removed an account that is excluded from a list; nil if it is not excluded.
    static func time(of account: AccountID, from list: ListID, in transaction: any Transaction) throws -> Timestamp? {
        try transaction.query(
            "SELECT since FROM removed WHERE list = ? AND account = ?", [.id(list), .id(account)]
        ).first?.time(0)
    }

    /// Ends the exclusion of an account, and returns whether it was excluded.
    static func remove(_ account: AccountID, of list: ListID, in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            "DELETE FROM removed WHERE list = ? AND account = ? RETURNING account", [.id(list), .id(account)])
    }
}

extension ServerError {
    /// The error for somebody who joins a list from which its owner has removed them.
    static let removedFromList = ServerError(
        .forbidden, "The list's owner has removed you from it. Ask them to let you in again.")
}
