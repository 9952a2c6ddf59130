import Kith
import KithModel
import KithServer

/// Judges sharing by what people did and what their devices show.
final class SharingAuditor {
    /// A programme, and somebody who takes part in it.
    private struct Part: Hashable {
        let account: AccountID
        let programme: String
    }

    /// What is rewarded once.
    private struct Cause: Hashable {
        let programme: String
        let side: Reward.Side
        let event: String?
        let referral: ReferralID?
    }

    /// Who has a record that people make.
    private var makers: [RecordID<Never>: AccountID] = [:]
    /// Who has a record that the server makes.
    private var receivers: [RecordID<Never>: AccountID] = [:]
    /// Who has a code whose link works, for ever.
    private var owners: [String: AccountID] = [:]
    /// Who has brought somebody to a programme, as far as a device has told it.
    private var advocates: [Part: AccountID] = [:]
    /// Who has ever wanted to have a code, by the keys of the codes.
    private(set) var wanted: [String: Set<AccountID>] = [:]
    /// The keys of the codes that an account has used.
    private var used: [AccountID: Set<String>] = [:]
    /// The identities to which an account has shared.
    private var recipients: [AccountID: Set<Identity>] = [:]
    /// How often an email was ordered, by the recipient.
    private var emails: [String: Int] = [:]
    /// The identities that an account has proved, or tried to.
    private var proofs: [AccountID: Set<Identity>] = [:]
    /// The accounts that have signed up.
    private var signedUp: Set<AccountID> = []
    /// The deleted accounts.
    private var deleted: Set<AccountID> = []
    /// The terms of the programmes.
    private var terms: [String: SharingTerms] = [:]
    /// How often it was known what the server had to decide.
    private(set) var coverage = SharingCoverage()

    // MARK: Reports from the world

    /// The operator sets the terms of a programme.
    func sets(_ terms: SharingTerms, of programme: String) { self.terms[programme] = terms }

    /// An account uses a code, or tries to.
    func uses(_ key: String, _ account: AccountID) { used[account, default: []].insert(key) }

    /// An account shares with somebody, or tries to.
    func shares(with recipient: Identity, _ account: AccountID) { recipients[account, default: []].insert(recipient) }

    /// Somebody orders an email, or tries to.
    func orders(emailTo recipient: Identity) { emails[recipient.shown, default: 0] += 1 }

    /// An account proves an identity, or tries to.
    func proves(_ identity: Identity, _ account: AccountID) { proofs[account, default: []].insert(identity) }

    func signs(up account: AccountID) { signedUp.insert(account) }

    /// What an account has never sent may be sent by the account that replaces it.
    func deletes(_ account: AccountID) {
        deleted.insert(account)
        makers = makers.filter { $0.value != account }
    }

    // MARK: At every step

    /// Judges what a device shows, and remembers it.
    ///
    /// - Returns: What is wrong; nil if nothing is.
    func fault(in look: SharingLook) -> String? {
        guard let account = look.account else {
            let isEmpty = look.shareables.isEmpty && look.claims.isEmpty && look.given.isEmpty
            return isEmpty ? nil : "it has no account, and shows what somebody shares"
        }
        note(look, of: account)
        for id in look.made {
            let maker = makers[id] ?? account
            if maker != account { return "\(account) shows the record \(id) of \(maker)" }
            makers[id] = account
        }
        for id in look.given {
            let receiver = receivers[id] ?? account
            if receiver != account { return "\(account) shows the referral or reward \(id) of \(receiver)" }
            receivers[id] = account
        }
        return codeFault(in: look, account) ?? claimFault(in: look, account) ?? rewardFault(in: look)
    }

    /// Remembers what an account has wanted and done, also if a call was interrupted or the account has replaced
    /// another.
    private func note(_ look: SharingLook, of account: AccountID) {
        for shareable in look.shareables { wanted[shareable.code.key, default: []].insert(account) }
        for claim in look.claims { uses(claim.code.key, account) }
        for share in look.shares {
            if let recipient = share.recipient { shares(with: recipient, account) }
        }
    }

    /// A code whose link works belongs to one account for ever.
    private func codeFault(in look: SharingLook, _ account: AccountID) -> String? {
        for shareable in look.shareables where look.ready.contains(shareable.id) {
            let key = shareable.code.key
            let owner = owners[key] ?? account
            if owner != account { return "\(account) has the code \(shareable.code) of \(owner)" }
            owners[key] = account
        }
        return nil
    }

    /// A code that binds belongs to the one who has brought the account, and there is only one in each programme.
    private func claimFault(in look: SharingLook, _ account: AccountID) -> String? {
        for claim in look.claims where claim.status == .bound {
            guard let programme = claim.programme else { return "the code \(claim.code) binds to no programme" }
            guard let owner = owners[claim.code.key] else { continue }
            if owner == account { return "\(account) has brought itself with \(claim.code)" }
            let part = Part(account: account, programme: programme)
            let advocate = advocates[part] ?? owner
            if advocate != owner { return "\(account) was brought to \(programme) by \(advocate), and by \(owner)" }
            advocates[part] = owner
        }
        return nil
    }

    /// Nothing is rewarded twice, and nobody's email is told.
    private func rewardFault(in look: SharingLook) -> String? {
        var rewarded: Set<Cause> = []
        for reward in look.rewards {
            let cause = Cause(
                programme: reward.programme, side: reward.side, event: reward.event,
                referral: reward.side == .advocate ? reward.referral : nil)
            if !rewarded.insert(cause).inserted { return "“\(reward.event ?? "")” is rewarded twice: \(reward)" }
            if reward.side == .advocate, !look.referrals.contains(where: { $0.id == reward.referral }) {
                return "there is a reward for a friend who is not shown: \(reward)"
            }
        }
        for words in look.referrals.map({ "\($0)" }) + look.rewards.map({ "\($0)" })
        where words.contains("@example.com") {
            return "it tells an email: \(words)"
        }
        return nil
    }

    /// Each email that was ordered is delivered once at the most.
    func fault(in mail: SimulatedMail) -> String? {
        var counts: [String: Int] = [:]
        for letter in mail.letters where letter.kind == .share { counts[letter.recipient, default: 0] += 1 }
        for (recipient, count) in counts.sorted(by: { $0.key < $1.key }) where count > emails[recipient] ?? 0 {
            return "\(recipient) gets \(count) emails for \(emails[recipient] ?? 0) shares"
        }
        return nil
    }

    // MARK: Reasons

    /// Whether an account may have brought another one: by a code that the other has used, or by sharing with it.
    func mayHaveBrought(_ advocate: AccountID, _ friend: AccountID, by basis: Referral.Basis) -> Bool {
        if advocate == friend { return false }
        switch basis {
        case .code:
            return used[friend, default: []].contains { wanted[$0]?.contains(advocate) ?? false }
        case .recipient:
            return !recipients[advocate, default: []].isDisjoint(with: proofs[friend] ?? [])
        }
    }

    /// Whether a code may lead to an account.
    func mayLead(_ code: ShareCode, to account: AccountID) -> Bool { wanted[code.key]?.contains(account) ?? false }

    // MARK: Once nothing waits

    /// What the server has left undone; nil if that is nothing.
    func omission(in ledger: SharingLedger, after history: SharingHistory) -> String? {
        var omissions = SharingOmissions(ledger: ledger, history: history, terms: terms, deleted: deleted)
        let omission = omissions.first()
        coverage = omissions.coverage
        return omission
    }

    /// The devices of one account show the same, and nothing waits.
    func differenceFault(_ looks: [SharingLook]) -> String? {
        guard let first = looks.first else { return nil }
        for look in looks {
            if look.waiting > 0 { return "\(look.waiting) edits are not sent" }
            let isSame =
                Set(look.shareables) == Set(first.shareables) && Set(look.shares) == Set(first.shares)
                && Set(look.claims) == Set(first.claims)
            if !isSame { return "two devices show different shareables, shares or codes" }
            if Set(look.referrals) != Set(first.referrals) || Set(look.rewards) != Set(first.rewards) {
                return "two devices show different referrals or rewards"
            }
        }
        return nil
    }

    /// Judges what the server has decided: it has a reason for everything, and its sums are right.
    func fault(in ledger: SharingLedger) -> String? {
        for one in ledger.brought where !mayHaveBrought(one.advocate, one.friend, by: one.basis) {
            return "\(one.advocate) has brought \(one.friend) to \(one.programme) by \(one.basis), and nobody knows how"
        }
        if let decision = ledger.decisions.first(where: { $0.state == "held" }) {
            return "“\(decision.event)” of \(decision.friend) is still held"
        }
        for decision in ledger.decisions {
            let isBrought = ledger.brought.contains {
                $0.friend == decision.friend && $0.programme == decision.programme
            }
            if !isBrought { return "\(decision.friend) is rewarded, and nobody has brought them" }
        }
        if ledger.funnel[.joined] ?? 0 != ledger.brought.count {
            return "the funnel counts \(ledger.funnel[.joined] ?? 0) of \(ledger.brought.count) who have joined"
        }
        let rewarded = Set(
            ledger.decisions.filter { $0.state == "granted" }.map { "\($0.programme) \($0.friend)" }
        ).count
        if ledger.funnel[.rewarded] ?? 0 != rewarded {
            return "the funnel counts \(ledger.funnel[.rewarded] ?? 0) of \(rewarded) who were rewarded"
        }
        return limitFault(in: ledger)
    }

    /// The limit of an advocate's rewards is checked when they are granted, also after they were held. Only the
    /// operator gives more, and nothing is refused for the limit before it is reached.
    private func limitFault(in ledger: SharingLedger) -> String? {
        for one in ledger.earned {
            if let limit = terms[one.programme]?.limit, one.countByRule > limit {
                return "\(one.advocate) has \(one.countByRule) rewards of \(limit) in \(one.programme)"
            }
        }
        for decision in ledger.decisions where decision.reasons.contains("limit") {
            guard let limit = terms[decision.programme]?.limit else {
                return "“\(decision.event)” of \(decision.friend) is refused for a limit that there is not"
            }
            let count =
                ledger.earned.first {
                    $0.programme == decision.programme && $0.advocate == decision.advocate
                }?.count ?? 0
            if count < limit {
                return "“\(decision.event)” of \(decision.friend) is refused after \(count) rewards of \(limit)"
            }
        }
        return nil
    }

    /// Judges that a device shows exactly what the server has decided about its account.
    func fault(in look: SharingLook, _ ledger: SharingLedger) -> String? {
        guard let account = look.account else { return "there is no account" }
        let mine = ledger.brought.filter { $0.advocate == account }
        for one in mine {
            guard let shown = look.referrals.first(where: { $0.id == one.record }) else {
                return "\(one.friend), a friend that it has brought, is not shown"
            }
            let state = ledger.state(of: one)
            if shown.programme != one.programme || shown.basis != one.basis || shown.state != state {
                return "\(one.friend) is \(state) in \(one.programme), and shown as \(shown)"
            }
        }
        if look.referrals.count != mine.count {
            return "it shows \(look.referrals.count) referrals, and has brought \(mine.count) people"
        }
        if Set(look.rewards.map(\.id)) != ledger.rewards[account] ?? [] {
            return "it shows \(look.rewards.count) rewards, and has \(ledger.rewards[account]?.count ?? 0)"
        }
        if let share = look.shares.first(where: { $0.status == .pending }) {
            return "an email was neither sent nor has it failed: \(share)"
        }
        return claimFault(in: look, ledger, account)
    }

    /// A used code is decided, and binds only to whoever has brought the account.
    private func claimFault(in look: SharingLook, _ ledger: SharingLedger, _ account: AccountID) -> String? {
        for claim in look.claims {
            switch claim.status {
            case .open:
                if signedUp.contains(account) { return "nothing is decided about \(claim.code)" }
            case .bound:
                let one = ledger.brought.first { $0.friend == account && $0.programme == claim.programme }
                guard let one, mayLead(claim.code, to: one.advocate) else {
                    return "the code \(claim.code) binds to \(one.map { "\($0.advocate)" } ?? "nobody")"
                }
            case .refused: continue
            }
        }
        return nil
    }
}
