import KithModel

/// Decides about the rewards for an event of a friend, and gives them. Each event is decided once, and each side is rewarded
/// once for it, whatever is repeated.
struct Rewarder {
    let transaction: any Transaction
    let now: Timestamp
    let random: RandomBytes

    /// Decides about an event of an account, if the programme has rewards for it. If nobody has brought the account, the
    /// event is remembered until somebody has.
    func decide(about event: String, of friend: AccountID, in programme: Programme) throws -> Signals {
        guard !programme.isPaused, !programme.rewards(for: event).isEmpty else { return Signals() }
        // An event is remembered, or sees who has brought the account.
        try AccountLock.take([friend], in: transaction)
        guard let attribution = try AttributionRow.find(friend, programme.name, in: transaction) else {
            try EarlyEvents(transaction: transaction, now: now).remember(event, of: friend, in: programme)
            return Signals()
        }
        let verdict = programme.guards.verdict(try facts(of: event, attribution, in: programme))
        let row = ReferralRow(RecordID(at: now, random: random), event, of: attribution, verdict, at: now)
        guard try row.insert(in: transaction) else { return Signals() }
        return try carryOut(row, programme)
    }

    private func facts(of event: String, _ attribution: AttributionRow, in programme: Programme) throws -> ReferralFacts
    {
        let register = IdentityRegister(at: now)
        let people = ReferredPeople(transaction: transaction, programme: programme.name, random: random)
        return ReferralFacts(
            advocate: Set(try register.identities(of: attribution.advocate, in: transaction)),
            friend: Set(try register.identities(of: attribution.account, in: transaction)),
            isKnownFriend: try people.isKnown(attribution.account),
            shared: try attribution.firstShared(in: transaction), joined: attribution.bound, occurred: now,
            referralsInADay: try attribution.others(since: now - .days(1), in: transaction),
            otherAdvocates: try attribution.otherAdvocates(in: transaction),
            joinsInBulk: try attribution.joinsInBulk(upTo: programme.guards.joinsInBulk ?? 0, in: transaction),
            rewardsOfAdvocate: try limited(attribution.advocate, for: event, in: programme),
            isSameNetwork: attribution.isSameNetwork, isNoted: attribution.isNoted)
    }

    /// The number of an advocate's rewards, for the limit; 0 if the event gives the advocate nothing.
    private func limited(_ advocate: AccountID, for event: String, in programme: Programme) throws -> Int {
        guard programme.rewards(for: event).contains(where: { $0.side == .advocate }) else { return 0 }
        try AccountLock.take([advocate], in: transaction)
        return try RewardRow.count(ofAdvocate: advocate, in: programme.name, in: transaction)
    }

    // MARK: - Held referrals

    /// Decides about a held referral whose time has come. While the programme is paused, it waits.
    func settle(_ row: ReferralRow) throws -> Signals {
        var row = row
        let programme = try ProgrammeRow.find(row.programme, in: transaction)?.programme
        if programme?.isPaused ?? false {
            try row.postpone(at: now, in: transaction)
            return Signals()
        }
        var state = ReferralRow.State.refused
        if programme != nil, case .granted = row.verdict.at(now) { state = .granted }
        return try decide(&row, state, programme)
    }

    /// Carries out the decision of an operator about a referral that is not granted.
    ///
    /// - Returns: The signals to send; nil if nothing changes.
    func decide(_ row: ReferralRow, _ state: ReferralRow.State) throws -> Signals? {
        guard row.state != state, row.state != .granted else { return nil }
        var row = row
        let programme = try ProgrammeRow.find(row.programme, in: transaction)?.programme
        return try decide(&row, state, programme, byOperator: true)
    }

    private func decide(
        _ row: inout ReferralRow, _ state: ReferralRow.State, _ programme: Programme?, byOperator: Bool = false
    ) throws -> Signals {
        var state = state
        // A friend who has deleted the account while the rewards were held gets none, and brings none.
        if state == .granted, !byOperator, try !AccountLock.exists(row.friend, in: transaction) {
            state = .refused
            row.reasons.append(.gone)
        }
        // Others may have been granted meanwhile.
        if state == .granted, !byOperator, let programme, let limit = programme.guards.rewards,
            try limited(row.advocate, for: row.event, in: programme) >= limit
        {
            state = .refused
            row.reasons.append(.limit)
        }
        try row.decide(state, byOperator: byOperator, at: now, in: transaction)
        guard let programme else {
            try announce(row, [])
            return Signals()
        }
        return try carryOut(row, programme)
    }

    // MARK: - Carrying out

    /// Gives the rewards of a granted referral, and writes the advocate's record of the friend.
    private func carryOut(_ row: ReferralRow, _ programme: Programme) throws -> Signals {
        let decisions = try ReferralRow.all(of: row.friend, in: row.programme, in: transaction)
        let rewards = try row.state == .granted ? newRewards(for: row, programme) : []
        var needs = LedgerNeeds()
        needs.accounts = [row.advocate, row.friend]
        needs.records = [row.place, .profile(of: row.advocate), .profile(of: row.friend)]
        needs.records.formUnion(rewards.map(\.row.place))
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        if ledger.live(row.place) != nil {
            let state: Referral.State =
                decisions.contains { $0.state == .granted }
                ? .granted : decisions.contains { $0.state == .held } ? .held : .refused
            ledger.set(
                ["state": .text(state.rawValue), "friendName": .text(ledger.name(of: row.friend))], of: .referrals,
                at: row.place)
        }
        for (reward, offer) in rewards {
            let profile = Profile(ledger.live(.profile(of: reward.account))?.state.fields ?? [:])
            let title = Programme.text(offer.title, in: [profile.language].compactMap(\.self))
            ledger.set(
                [
                    "programme": .text(row.programme), "name": .text(offer.name), "title": .text(title),
                    "side": .text(reward.side.rawValue), "event": .text(row.event),
                    "referral": reward.side == .advocate ? .text(row.record.description) : .null,
                    "granted": .integer(now.milliseconds),
                ], of: .rewards, at: reward.place)
        }
        let signals = try ledger.write(in: transaction)
        try announce(row, rewards)
        if row.state == .granted, decisions.count(where: { $0.state == .granted }) == 1 {
            let channel = try AttributionRow.find(row.friend, row.programme, in: transaction)?.channel ?? .link
            try Funnel.count(.rewarded, of: row.programme, by: channel, at: now, in: transaction)
        }
        return signals
    }

    /// Reports a decision to the operator's webhooks.
    private func announce(_ row: ReferralRow, _ rewards: [(row: RewardRow, offer: Programme.Reward)]) throws {
        let outbox = WebhookOutbox(transaction: transaction, now: now, random: random)
        try outbox.add(WebhookEvent.Kind(row.state), in: row.programme) {
            let attribution = try AttributionRow.find(row.friend, row.programme, in: transaction)
            return WebhookEvent.Content(
                row, channel: attribution?.channel,
                rewards: rewards.map { WebhookEvent.Reward($0.row, named: $0.offer.name) })
        }
    }

    /// Stores the rewards that were not given before. A deleted account gets none.
    private func newRewards(
        for row: ReferralRow, _ programme: Programme
    ) throws -> [(row: RewardRow, offer: Programme.Reward)] {
        var rewards: [(row: RewardRow, offer: Programme.Reward)] = []
        for (side, offer) in programme.rewards(for: row.event) {
            let account = side == .advocate ? row.advocate : row.friend
            guard try AccountLock.exists(account, in: transaction) else { continue }
            let reward = RewardRow(
                referral: row.id, side: side, account: account, programme: row.programme,
                record: RewardID(at: now, random: random), granted: now)
            if try reward.insert(in: transaction) { rewards.append((reward, offer)) }
        }
        return rewards
    }
}
