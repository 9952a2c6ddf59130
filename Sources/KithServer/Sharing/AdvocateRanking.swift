package import KithModel

/// The accounts that have brought the most friends.
package struct AdvocateRanking: Hashable, Sendable {
    /// An account that has brought friends.
    package struct Place: Hashable, Sendable {
        package let account: AccountID
        /// The name that the account shows to everyone; nil if there is none.
        package let name: String?
        /// The friends who have joined in the time.
        package let friends: Int
        /// The rewards for bringing friends that were granted in the time.
        package let rewards: Int

        package init(account: AccountID, name: String?, friends: Int, rewards: Int) {
            (self.account, self.name, self.friends, self.rewards) = (account, name, friends, rewards)
        }
    }

    /// The accounts, the one with the most friends first.
    package let places: [Place]

    package init(places: [Place]) { self.places = places }

    /// Reads the ranking.
    ///
    /// - Parameters:
    ///   - programme: The programme; nil for all.
    ///   - start: The begin of the time.
    ///   - end: The end of the time, which is not part of it.
    ///   - limit: The number of places.
    ///   - transaction: The transaction.
    /// - Returns: The ranking.
    /// - Throws: ``ServerError`` if the database fails.
    package static func read(
        of programme: String? = nil, from start: Timestamp, until end: Timestamp, limit: Int = 10,
        in transaction: any Transaction
    ) throws -> AdvocateRanking {
        var values: [SQLValue] = [.time(start), .time(end)]
        if let programme { values.append(.text(programme)) }
        let isOfProgramme = programme == nil ? "" : "AND programme = ?"
        let rows = try transaction.query(
            """
            SELECT advocate, count(*) AS friends FROM attribution WHERE bound >= ? AND bound < ? \(isOfProgramme)
            GROUP BY advocate ORDER BY friends DESC, advocate LIMIT ?
            """, values + [.integer(Int64(limit))])
        let accounts: [AccountID] = try rows.map { try $0.id(0) }
        let names = try ShownNames.read(accounts, in: transaction)
        return AdvocateRanking(
            places: try zip(accounts, rows).map { account, row in
                let rewards = try transaction.count(
                    """
                    SELECT count(*) FROM reward WHERE account = ? AND side = ? AND granted >= ? AND granted < ?
                        \(isOfProgramme)
                    """, [.id(account), .text(Reward.Side.advocate.rawValue)] + values)
                return Place(
                    account: account, name: names[account], friends: Int(try row.integer(1)), rewards: rewards)
            })
    }
}
