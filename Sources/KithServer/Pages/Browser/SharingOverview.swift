package import KithModel

/// What an account has to do with sharing: the codes that it has used, the people that it has brought, and its rewards.
package struct SharingOverview: Hashable, Sendable {
    /// The newest codes, people and rewards that the page shows, of each.
    static let most = 100

    /// The codes that the account has used, newest first.
    package var claims: [Claim] = []
    /// The people that the account has brought, newest first.
    package var referrals: [Referral] = []
    /// The rewards, newest first.
    package var rewards: [Reward] = []
    /// The programmes of the server, by their names.
    package var programmes: [String: Programme] = [:]

    /// Reads what the records of an account say.
    static func read(_ account: AccountID, in transaction: any Transaction) throws -> SharingOverview {
        var overview = SharingOverview()
        for row in try ProgrammeRow.all(in: transaction) { overview.programmes[row.programme.name] = row.programme }
        overview.claims = try records(
            "SELECT id FROM claim WHERE account = ? ORDER BY used DESC, id", account, transaction
        ).compactMap { Claim(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        overview.referrals = try records(
            "SELECT record FROM attribution WHERE advocate = ? ORDER BY bound DESC, record", account, transaction
        ).compactMap { Referral(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        overview.rewards = try records(
            "SELECT record FROM reward WHERE account = ? ORDER BY granted DESC, record", account, transaction
        ).compactMap { Reward(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        return overview
    }

    /// The records of the account's own feed that a query names, in its order.
    private static func records(
        _ query: String, _ account: AccountID, _ transaction: any Transaction
    ) throws -> [(id: RecordID<Never>, state: RecordState)] {
        let ids: [RecordID<Never>] = try transaction.query(
            "\(query) LIMIT ?", [.id(account), .integer(Int64(most))]
        ).map { try $0.id(0) }
        let home: FeedID = account.retyped()
        let rows = try RecordRow.read(Set(ids.map { RecordPlace(home, $0) }), in: transaction)
        return ids.compactMap { id in
            guard let row = rows[RecordPlace(home, id)], !row.state.isDeleted else { return nil }
            return (id, row.state)
        }
    }
}
