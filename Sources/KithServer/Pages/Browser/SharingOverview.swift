package import KithModel

/// What an account has to do with sharing: the codes that it has used, the people that it has brought, and its rewards.
package struct SharingOverview: Hashable, Sendable {
    /// The newest codes, people and rewards that the page shows, of each.
    package static let most = 100

    /// What an account has of sharing. The raw value is in the names of the page's values.
    package enum Part: String, CaseIterable, Hashable, Sendable {
        case claims = "Claims"
        case referrals = "Referrals"
        case rewards = "Rewards"
    }

    /// The codes that the account has used, newest first.
    package var claims: [Claim] = []
    /// The people that the account has brought, newest first.
    package var referrals: [Referral] = []
    /// The rewards, newest first.
    package var rewards: [Reward] = []
    /// The parts of which the account has more than is shown.
    package var cut: Set<Part> = []
    /// The programmes of the server, by their names.
    package var programmes: [String: Programme] = [:]

    /// Reads what the records of an account say.
    package static func read(_ account: AccountID, in transaction: any Transaction) throws -> SharingOverview {
        var overview = SharingOverview()
        for row in try ProgrammeRow.all(in: transaction) { overview.programmes[row.programme.name] = row.programme }
        /// The records of a part that a query names.
        func newest(_ part: Part, _ query: String) throws -> [(id: RecordID<Never>, state: RecordState)] {
            let found = try records(query, account, transaction)
            if found.areCut { overview.cut.insert(part) }
            return found.records
        }
        overview.claims = try newest(
            .claims, "SELECT id FROM claim WHERE account = ? ORDER BY used DESC, id"
        ).compactMap { Claim(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        overview.referrals = try newest(
            .referrals, "SELECT record FROM attribution WHERE advocate = ? ORDER BY bound DESC, record"
        ).compactMap { Referral(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        overview.rewards = try newest(
            .rewards, "SELECT record FROM reward WHERE account = ? ORDER BY granted DESC, record"
        ).compactMap { Reward(id: $0.id.retyped(), $0.state.fields, modified: $0.state.modified) }
        return overview
    }

    /// The records of the account's own feed that a query names, in its order, and whether it names more than are shown.
    private static func records(
        _ query: String, _ account: AccountID, _ transaction: any Transaction
    ) throws -> (records: [(id: RecordID<Never>, state: RecordState)], areCut: Bool) {
        let found: [RecordID<Never>] = try transaction.query(
            "\(query) LIMIT ?", [.id(account), .integer(Int64(most + 1))]
        ).map { try $0.id(0) }
        let ids = found.prefix(most)
        let home: FeedID = account.retyped()
        let rows = try RecordRow.read(Set(ids.map { RecordPlace(home, $0) }), in: transaction)
        let records = ids.compactMap { id -> (id: RecordID<Never>, state: RecordState)? in
            guard let row = rows[RecordPlace(home, id)], !row.state.isDeleted else { return nil }
            return (id, row.state)
        }
        return (records, found.count > most)
    }
}
