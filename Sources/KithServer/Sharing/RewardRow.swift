import KithModel

/// A row of the table `reward`: something that was granted, once for each side of a referral.
struct RewardRow: Hashable {
    let referral: ReferralRow.ID
    let side: Reward.Side
    /// Who is rewarded.
    let account: AccountID
    let programme: String
    /// The record of the rewarded.
    let record: RewardID
    let granted: Timestamp

    /// The record of the rewarded.
    var place: RecordPlace { RecordPlace(record, of: account) }

    /// The number of an account's rewards for friends in a programme.
    static func count(
        ofAdvocate account: AccountID, in programme: String, in transaction: any Transaction
    ) throws -> Int {
        try transaction.count(
            "SELECT count(*) FROM reward WHERE account = ? AND programme = ? AND side = ?",
            [.id(account), .text(programme), .text(Reward.Side.advocate.rawValue)])
    }

    /// Writes the row, unless the side was rewarded before.
    ///
    /// - Returns: Whether it was written.
    func insert(in transaction: any Transaction) throws -> Bool {
        try transaction.changes(
            """
            INSERT INTO reward (referral, side, account, programme, record, granted) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (referral, side) DO NOTHING RETURNING record
            """,
            [
                .id(referral), .text(side.rawValue), .id(account), .text(programme), .id(record), .time(granted),
            ])
    }
}
