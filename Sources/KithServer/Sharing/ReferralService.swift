package import KithModel

/// Shows the decisions about rewards to the operator, who can release or refuse those that are held.
package struct ReferralService: Sendable {
    private let database: any Database
    private let signals: SignalSender
    private let random: @Sendable () -> [UInt8]

    /// A service over `database`, which sends the signals of its commits.
    package init(
        database: any Database, signals: SignalSender = .none,
        random: @escaping @Sendable () -> [UInt8] = { Secret.random() }
    ) {
        (self.database, self.signals, self.random) = (database, signals, random)
    }

    /// The newest decisions, newest first.
    ///
    /// - Parameters:
    ///   - state: Only those with this state; nil for all.
    ///   - programme: Only those of this programme; nil for all.
    ///   - limit: The number of them.
    /// - Returns: The decisions.
    /// - Throws: ``ServerError`` if the database fails.
    package func list(
        _ state: ReferralRow.State? = nil, programme: String? = nil, limit: Int = 100
    ) async throws -> [ReferralEntry] {
        var values: [SQLValue] = []
        if let state { values.append(.text(state.rawValue)) }
        if let programme { values.append(.text(programme)) }
        values.append(.integer(Int64(limit)))
        return try await database.read { [values] transaction in
            try transaction.query(
                """
                SELECT \(ReferralRow.columns), attribution.basis, attribution.channel
                FROM referral LEFT JOIN attribution ON attribution.account = referral.friend
                    AND attribution.programme = referral.programme
                WHERE 1 = 1 \(state == nil ? "" : "AND referral.state = ?")
                    \(programme == nil ? "" : "AND referral.programme = ?")
                ORDER BY referral.occurred DESC, referral.id DESC LIMIT ?
                """, values
            ).map { row in
                ReferralEntry(
                    try ReferralRow(row),
                    basis: try row.optionalText(13).flatMap { Referral.Basis(rawValue: $0) } ?? .code,
                    channel: try row.optionalText(14).flatMap { ShareChannel(rawValue: $0) } ?? .link)
            }
        }
    }

    /// Grants the rewards of referrals that are held or refused. Repeating it has no further effect.
    ///
    /// - Returns: What was done, in the order of `ids`.
    package func release(_ ids: [RecordID<ReferralRow>], at now: Timestamp) async throws -> [ReferralDecision] {
        try await decide(.granted, ids, at: now)
    }

    /// Refuses referrals that are held. Repeating it has no further effect.
    ///
    /// - Returns: What was done, in the order of `ids`.
    package func refuse(_ ids: [RecordID<ReferralRow>], at now: Timestamp) async throws -> [ReferralDecision] {
        try await decide(.refused, ids, at: now)
    }

    private func decide(
        _ state: ReferralRow.State, _ ids: [RecordID<ReferralRow>], at now: Timestamp
    ) async throws -> [ReferralDecision] {
        var decisions: [ReferralDecision] = []
        for id in ids {
            let result = try await signals.commit(in: database) {
                [random] transaction -> Committed<ReferralDecision.Result> in
                guard let row = try ReferralRow.find(id, in: transaction) else {
                    return Committed(.unknown)
                }
                let rewarder = Rewarder(transaction: transaction, now: now, random: random)
                guard let signals = try rewarder.decide(row, state) else { return Committed(.unchanged) }
                return Committed(.done, signals: signals)
            }
            decisions.append(ReferralDecision(id: id, result: result))
        }
        return decisions
    }
}
