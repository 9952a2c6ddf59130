package import KithModel

/// The last turn of each account in each background job: the table `work_turn`.
///
/// The work that waits would also tell it, but how much of that there is has no limit. A turn before ``WorkTurn/first(at:)`` does
/// not count any more, and the housekeeping deletes it.
package enum WorkTurns {
    /// A background job in which accounts take turns.
    package enum Job: String {
        case invitations, sharing
    }

    /// Takes the next turn of an account.
    ///
    /// - Parameters:
    ///   - count: The number of new pieces of work.
    ///   - account: The account.
    ///   - job: The job that does the work.
    ///   - now: The server's time.
    ///   - transaction: The transaction in which the work is stored.
    /// - Returns: When the work is due.
    /// - Throws: ``ServerError`` if the database fails.
    package static func take(
        _ count: Int, of account: AccountID, in job: Job, at now: Timestamp, in transaction: any Transaction
    ) throws -> Timestamp {
        let last = try transaction.query(
            "SELECT due FROM work_turn WHERE account = ? AND job = ?", [.id(account), .text(job.rawValue)]
        ).first?.time(0)
        let turn = WorkTurn.next(after: last, adding: count, at: now)
        try transaction.insert(
            into: "work_turn", ["account", "job", "due"], [[.id(account), .text(job.rawValue), .time(turn)]],
            replacing: ["account", "job"])
        return turn
    }
}
