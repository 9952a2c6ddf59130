package import KithModel

/// Shows the decisions about rewards to the operator, who can release or refuse those that are held.
package struct ReferralService: Sendable {
    private let database: any Database
    private let signals: SignalSender?
    private let random: RandomBytes

    /// A service over `database`.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - signals: Sends the signals of its commits; nil in another process than the server, whose background job then
    ///     sends them.
    ///   - random: The source of random bytes.
    package init(
        database: any Database, signals: SignalSender? = nil,
        random: RandomBytes = .system
    ) {
        (self.database, self.signals, self.random) = (database, signals, random)
    }

    /// The newest decisions that can be read, newest first: see ``rows(_:programme:reason:limit:offset:)``.
    package func list(
        _ state: ReferralRow.State? = nil, programme: String? = nil, reason: ReferralReason? = nil, limit: Int = 100,
        offset: Int = 0
    ) async throws -> [ReferralEntry] {
        try await rows(state, programme: programme, reason: reason, limit: limit, offset: offset).compactMap(\.self)
    }

    /// The newest decisions, newest first; nil for each that is damaged.
    ///
    /// - Parameters:
    ///   - state: Only those with this state; nil for all.
    ///   - programme: Only those of this programme; nil for all.
    ///   - reason: Only those with this reason; nil for all.
    ///   - limit: The number of them.
    ///   - offset: The number of newer ones to leave out.
    /// - Returns: The decisions.
    /// - Throws: ``ServerError`` if the database fails.
    package func rows(
        _ state: ReferralRow.State? = nil, programme: String? = nil, reason: ReferralReason? = nil, limit: Int = 100,
        offset: Int = 0
    ) async throws -> [ReferralEntry?] {
        let condition = Self.condition(state, programme, reason)
        return try await database.read { transaction in
            try transaction.query(
                """
                SELECT \(ReferralRow.columns), attribution.basis, attribution.channel
                FROM referral LEFT JOIN attribution ON attribution.account = referral.friend
                    AND attribution.programme = referral.programme
                WHERE \(condition.sql)
                ORDER BY referral.occurred DESC, referral.id DESC LIMIT ? OFFSET ?
                """, condition.values + [.integer(Int64(limit)), .integer(Int64(offset))]
            ).map { row in
                try? ReferralEntry(
                    ReferralRow(row), basis: row.optionalText(13).flatMap { Referral.Basis(rawValue: $0) } ?? .code,
                    channel: row.optionalText(14).flatMap { ShareChannel(rawValue: $0) } ?? .link)
            }
        }
    }

    /// The number of decisions that ``list(_:programme:reason:limit:offset:)`` finds without a limit.
    package func count(
        _ state: ReferralRow.State? = nil, programme: String? = nil, reason: ReferralReason? = nil
    ) async throws -> Int {
        let condition = Self.condition(state, programme, reason)
        return try await database.read {
            try $0.count("SELECT count(*) FROM referral WHERE \(condition.sql)", condition.values)
        }
    }

    private static func condition(
        _ state: ReferralRow.State?, _ programme: String?, _ reason: ReferralReason?
    ) -> SQLCondition {
        var condition = SQLCondition()
        if let state { condition.require("referral.state = ?", .text(state.rawValue)) }
        if let programme { condition.require("referral.programme = ?", .text(programme)) }
        if let reason {
            // The column is a list of words. A reason has no character that is special in LIKE.
            condition.require("(' ' || referral.reasons || ' ') LIKE ?", .text("% \(reason.rawValue) %"))
        }
        return condition
    }

    /// Grants the rewards of referrals that are held or refused. Repeating it has no further effect.
    ///
    /// - Parameters:
    ///   - ids: The referrals.
    ///   - onlyHeld: Whether those that are refused stay refused.
    ///   - now: The server's time.
    /// - Returns: What was done, in the order of `ids`.
    /// - Throws: ``ServerError`` if the database fails.
    package func release(
        _ ids: [ReferralRow.ID], onlyHeld: Bool = false, at now: Timestamp
    ) async throws -> [ReferralDecision] {
        try await decide(.granted, ids, onlyHeld: onlyHeld, at: now)
    }

    /// Refuses referrals that are held. Repeating it has no further effect.
    ///
    /// - Returns: What was done, in the order of `ids`.
    package func refuse(_ ids: [ReferralRow.ID], at now: Timestamp) async throws -> [ReferralDecision] {
        try await decide(.refused, ids, at: now)
    }

    private func decide(
        _ state: ReferralRow.State, _ ids: [ReferralRow.ID], onlyHeld: Bool = false, at now: Timestamp
    ) async throws -> [ReferralDecision] {
        var decisions: [ReferralDecision] = []
        for id in ids {
            let isElsewhere = signals == nil
            let decision = try await (signals ?? SignalSender.none).commit(in: database) {
                [random] transaction -> Committed<ReferralDecision> in
                func decided(_ result: ReferralDecision.Result, _ state: ReferralRow.State?) -> ReferralDecision {
                    ReferralDecision(id: id, result: result, state: state)
                }
                guard let row = try ReferralRow.find(id, in: transaction) else {
                    return Committed(decided(.unknown, nil))
                }
                guard !onlyHeld || row.state == .held else { return Committed(decided(.unchanged, row.state)) }
                let rewarder = Rewarder(transaction: transaction, now: now, random: random)
                guard let signals = try rewarder.decide(row, state) else {
                    return Committed(decided(.unchanged, row.state))
                }
                if isElsewhere { try SharingOrder.send(signals, at: now, in: transaction) }
                return Committed(decided(.done, state), signals: signals)
            }
            decisions.append(decision)
        }
        return decisions
    }
}
