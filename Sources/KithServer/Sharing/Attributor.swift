import Foundation
import KithModel

/// Finds out who has brought an account, when it signs up or uses a code soon after. That is decided once for each
/// programme.
struct Attributor {
    let transaction: any Transaction
    let now: Timestamp
    let random: RandomBytes

    /// A possible advocate, with what is stored if it counts.
    private struct Candidate {
        let claim: Attribution.Claim
        let channel: ShareChannel
        let isSameNetwork: Bool
    }

    private var earlyEvents: EarlyEvents { EarlyEvents(transaction: transaction, now: now) }

    // MARK: - Sign-ups

    /// Decides who has brought an account that has signed up.
    func signUp(_ account: AccountID, joined: Timestamp) throws -> Signals {
        try AccountLock.take([account], in: transaction)
        guard try AccountLock.exists(account, in: transaction) else { return Signals() }
        let claims = try ClaimRow.allOpen(of: account, in: transaction)
        let codes = try ShareCodeRow.find(Set(claims.map(\.key)), in: transaction)
        var signals = Signals()
        var isHeld = false
        for row in try ProgrammeRow.all(in: transaction) {
            let programme = row.programme
            let used = claims.filter { codes[$0.key]?.programme == programme.name }
            var bound = try AttributionRow.find(account, programme.name, in: transaction)
            if row.fault != nil {
                let isOpen = try bound == nil && isShared(to: account, in: programme, joined: joined)
                isHeld = isHeld || isOpen || !used.isEmpty
                continue
            }
            if bound == nil, !programme.isPaused {
                let share = try ShareRow.counting(to: account, in: programme, joined: joined, in: transaction)
                let candidates =
                    try used.compactMap { try candidate($0, codes[$0.key], joined: joined) }
                    + (share.map { [candidate($0)] } ?? [])
                (bound, signals) = try bind(account, programme, candidates, joined: joined, after: signals)
            }
            for claim in used {
                let advocate = codes[claim.key]?.account
                let refusal = refusal(of: claim, by: advocate, programme, bound?.advocate)
                signals.formUnion(try settle(claim, in: programme, by: advocate, refusal))
            }
        }
        if isHeld {
            // Decided when this version can read the programme, or by another one that can.
            try SignUps.wait(account, until: now + SharingService.pause, in: transaction)
        } else {
            try earlyEvents.limit(of: account, joined: joined)
        }
        return signals
    }

    /// Whether somebody may have brought the account by a share in a programme that this version cannot read.
    private func isShared(to account: AccountID, in programme: Programme, joined: Timestamp) throws -> Bool {
        try ShareRow.counting(to: account, in: programme, joined: joined, in: transaction) != nil
    }

    private func candidate(_ claim: ClaimRow, _ code: ShareCodeRow?, joined: Timestamp) throws -> Candidate? {
        // A sign-up that waits for a programme is decided long after it: see ``signUp(_:joined:)``.
        guard let code, let advocate = code.account, let shareable = code.record,
            claim.used - joined <= Limits.lateClaim
        else { return nil }
        var channels = KnownChannels(transaction)
        let channel = try channels.counted(claim.channel, in: code.programme)
        var isSameNetwork = false
        if let network = claim.network {
            isSameNetwork =
                try code.network == network || ShareRow.isKnown(network, of: advocate, in: transaction)
        }
        // The clock of a device can be ahead of the server's.
        return Candidate(
            claim: Attribution.Claim(advocate, .code, at: min(claim.used, joined), source: shareable.uuid),
            channel: channel, isSameNetwork: isSameNetwork)
    }

    private func candidate(_ share: ShareRow) -> Candidate {
        Candidate(
            claim: Attribution.Claim(share.account, .recipient, at: share.shared, source: share.id.uuid),
            channel: share.channel, isSameNetwork: false)
    }

    /// Binds the account to the candidate that counts.
    private func bind(
        _ account: AccountID, _ programme: Programme, _ candidates: [Candidate], joined: Timestamp,
        after before: Signals
    ) throws -> (AttributionRow?, Signals) {
        let winner = programme.attribution.winner(of: candidates.map(\.claim), friend: account, joined: joined)
        guard let winner, let candidate = candidates.first(where: { $0.claim == winner }) else {
            return (nil, before)
        }
        var signals = before
        signals.formUnion(try bind(account, programme, candidate, joined: joined))
        return (try AttributionRow.find(account, programme.name, in: transaction), signals)
    }

    /// Why a code that was used before the sign-up does not count; nil if its owner has brought the account.
    private func refusal(
        of claim: ClaimRow, by advocate: AccountID?, _ programme: Programme, _ bound: AccountID?
    ) -> Claim.Refusal? {
        guard let advocate else { return .unknownCode }
        if advocate == claim.account { return .yourOwn }
        if let bound { return bound == advocate ? nil : .alreadyBound }
        return programme.isPaused ? .paused : .tooLate
    }

    // MARK: - Codes

    /// Decides about a code that an account has used. Before the account signs up, only the name of its owner is written.
    func claim(_ id: ClaimID, of account: AccountID) throws -> Signals {
        try AccountLock.take([account], in: transaction)
        guard let claim = try ClaimRow.findOpen(id, of: account, in: transaction) else { return Signals() }
        let code = try ShareCodeRow.find([claim.key], in: transaction)[claim.key]
        guard let code, let advocate = code.account,
            let programme = try ProgrammeRow.find(code.programme, in: transaction)?.programme
        else { return try settle(claim, in: nil, by: nil, .unknownCode) }
        if advocate == account { return try settle(claim, in: programme, by: advocate, .yourOwn) }
        let joined = try SignUps.joined(account, in: transaction)
        guard let joined, try !SignUps.isWaiting(account, in: transaction) else {
            return try write(claim, in: programme, by: advocate, [:])
        }
        if let bound = try AttributionRow.find(account, programme.name, in: transaction) {
            return try settle(claim, in: programme, by: advocate, bound.advocate == advocate ? nil : .alreadyBound)
        }
        if programme.isPaused { return try settle(claim, in: programme, by: advocate, .paused) }
        guard now - joined <= Limits.lateClaim, joined - claim.used <= programme.attribution.window,
            let candidate = try candidate(claim, code, joined: joined)
        else { return try settle(claim, in: programme, by: advocate, .tooLate) }
        var signals = try bind(account, programme, candidate, joined: joined)
        signals.formUnion(try settle(claim, in: programme, by: advocate, nil))
        return signals
    }

    /// Writes what is decided about a code.
    private func settle(
        _ claim: ClaimRow, in programme: Programme?, by advocate: AccountID?, _ refusal: Claim.Refusal?
    ) throws -> Signals {
        try claim.close(in: transaction)
        return try write(
            claim, in: programme, by: refusal == nil ? advocate : nil,
            [
                "state": .text((refusal == nil ? Claim.State.bound : .refused).rawValue),
                "reason": .text(refusal?.rawValue),
            ])
    }

    private func write(
        _ claim: ClaimRow, in programme: Programme?, by advocate: AccountID?, _ fields: Fields
    ) throws -> Signals {
        var needs = LedgerNeeds()
        needs.accounts.insert(claim.account)
        needs.records.insert(claim.place)
        if let advocate { needs.records.insert(.profile(of: advocate)) }
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        guard ledger.live(claim.place) != nil else { return Signals() }
        var fields = fields
        fields["programme"] = .text(programme?.name)
        fields["advocateName"] = .text(advocate.flatMap { ledger.name(of: $0) })
        ledger.set(fields, of: .claims, at: claim.place)
        return try ledger.write(in: transaction)
    }

    // MARK: - Binding

    private func bind(
        _ account: AccountID, _ programme: Programme, _ candidate: Candidate, joined: Timestamp
    ) throws -> Signals {
        let (claim, channel) = (candidate.claim, candidate.channel)
        let row = AttributionRow(
            account: account, programme: programme.name, advocate: claim.advocate, source: claim.source,
            basis: claim.basis, channel: channel, shared: claim.time, joined: joined,
            bound: now, isSameNetwork: candidate.isSameNetwork, record: ReferralID(at: now, random: random))
        guard try row.insert(in: transaction) else { return Signals() }
        try Funnel.count(.joined, of: programme.name, by: channel, at: now, in: transaction)
        try WebhookOutbox(transaction: transaction, now: now, random: random).add(.joined, in: programme.name) {
            WebhookEvent.Content(row)
        }
        var signals = try writeReferral(row)
        let rewarder = Rewarder(transaction: transaction, now: now, random: random)
        signals.formUnion(try rewarder.decide(about: SharingEvent.joined, of: account, in: programme))
        for event in try earlyEvents.take(of: account, in: programme, joined: joined) {
            signals.formUnion(try rewarder.decide(about: event, of: account, in: programme))
        }
        // After the verdict, which asks whether the person was referred before.
        try ReferredPeople(transaction: transaction, programme: programme.name, random: random).add(account)
        return signals
    }

    /// Writes the advocate's record of the friend.
    private func writeReferral(_ row: AttributionRow) throws -> Signals {
        var needs = LedgerNeeds()
        // The rewards change both feeds afterwards. They are locked together, so that it is in the order of their ids.
        needs.accounts = [row.advocate, row.account]
        needs.records.formUnion([row.place, .profile(of: row.account)])
        var ledger = try Ledger.open(needs, for: nil, at: now, in: transaction)
        let shareable = try shareable(of: row)
        ledger.set(
            [
                "programme": .text(row.programme), "shareable": .text(shareable?.description),
                "basis": .text(row.basis.rawValue), "friendName": .text(ledger.name(of: row.account)),
                "joined": .integer(row.joined.milliseconds), "state": .text(Referral.State.joined.rawValue),
            ], of: .referrals, at: row.place)
        return try ledger.write(in: transaction)
    }

    private func shareable(of row: AttributionRow) throws -> ShareableID? {
        switch row.basis {
        case .code: ShareableID(row.source)
        case .recipient: try ShareRow.find(ShareID(row.source), of: row.advocate, in: transaction)?.shareable
        }
    }
}
