package import KithModel

/// When the work that accounts give to a background job is due.
///
/// A job does first what is due first. Work is never due in the future, so nothing waits while the job has nothing else to
/// do. But work of an account that has nothing else waiting is due ``lead`` before now, and for each piece of its work
/// that waits, its next work is due ``pause`` later. So the accounts take turns: one that adds a lot of work delays its own
/// work, and hardly that of others. The work of one account keeps its order.
package enum WorkTurn {
    /// How long before now the first work of an account is due.
    package static let lead = Duration.days(1)
    /// How much later each further piece of work of the account is due.
    package static let pause = Duration.seconds(60)
    /// The pieces of work of an account that have turns of their own. Further ones are due now.
    package static let most = Int(lead / pause)
    /// As much work as an account orders on a busy day. Work that comes after it does not wait for accounts that order more.
    private static let usual = Duration.seconds(200 * 60)

    /// The turn of further work of an account.
    ///
    /// - Parameters:
    ///   - waiting: When the account's work that waits is due. If there is much of it, ``most`` pieces suffice.
    ///   - count: The number of new pieces. They have one turn: that of the last.
    ///   - now: The server's time.
    /// - Returns: When the work is due.
    package static func next(after waiting: [Timestamp], adding count: Int, at now: Timestamp) -> Timestamp {
        if waiting.count >= most { return now }
        let first = Self.first(at: now)
        return min(now, max(first, waiting.max() ?? first) + pause * count)
    }

    /// The turn of further work of an account in a table whose column `due` says when work is due.
    ///
    /// - Parameters:
    ///   - count: The number of new pieces.
    ///   - table: The table.
    ///   - condition: The condition of the work of the account. Its parameter is the account.
    ///   - account: The account.
    ///   - now: The server's time.
    ///   - transaction: The transaction in which the work is stored.
    /// - Returns: When the work is due.
    /// - Throws: ``ServerError`` if the database fails.
    static func next(
        _ count: Int, in table: String, where condition: String, _ account: AccountID, at now: Timestamp,
        in transaction: any Transaction
    ) throws -> Timestamp {
        // The sum keeps the database from using the index of `due`, which has the work of all accounts.
        let waiting = try transaction.query(
            "SELECT due FROM \(table) WHERE \(condition) AND due + 0 <= ? LIMIT ?",
            [.id(account), .time(now), .integer(Int64(most))]
        ).map { try $0.time(0) }
        return next(after: waiting, adding: count, at: now)
    }

    /// The turn of work that comes before everything that is ordered from now on, because that may depend on it.
    package static func first(at now: Timestamp) -> Timestamp { now - lead }

    /// The turn of work that no account has ordered, such as a message that has come back: after the usual work of each
    /// account, and before everything beyond it.
    package static func ofServer(at now: Timestamp) -> Timestamp { now - lead + usual }

    /// The turn of the work that follows from other work, which was due at `due`; nil if it is not known. It comes after the
    /// other work of the account, so that how long it takes is not seen in that.
    package static func following(_ due: Timestamp?, at now: Timestamp) -> Timestamp {
        let turn = ofServer(at: now)
        return (due ?? turn) <= turn ? turn : now
    }
}
