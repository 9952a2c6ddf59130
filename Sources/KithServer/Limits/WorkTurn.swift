package import KithModel

/// When the work that accounts order from a background job is due.
///
/// A job does first what is due first. Work is never due in the future, so nothing waits while the job has nothing else to
/// do. But the first work of an account is due ``lead`` before now, and each further piece ``pause`` after the one before. So
/// the accounts take turns: one that orders a lot delays its own work, and hardly that of others. The work of one account
/// keeps its order.
package enum WorkTurn {
    /// How long before now the first work of an account is due.
    package static let lead = Duration.days(1)
    /// How much later each further piece of work of the account is due.
    package static let pause = Duration.seconds(60)
    /// As much work as an account orders on a busy day. Work that comes after it does not wait for accounts that order more.
    private static let usual = Duration.seconds(200 * 60)

    /// The turn of new work of an account.
    ///
    /// - Parameters:
    ///   - last: The last turn of the account; nil if it had none.
    ///   - count: The number of new pieces. They have one turn: that of the last.
    ///   - now: The server's time.
    /// - Returns: When the work is due.
    package static func next(after last: Timestamp?, adding count: Int, at now: Timestamp) -> Timestamp {
        let first = Self.first(at: now)
        return min(now, max(first, last ?? first) + pause * count)
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
