import Kith
import KithModel
import KithServer

/// What holds once every device has synced, the server has done its work, and nothing is held any more.
extension SharingAuditor {
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

    /// The limit of an advocate's rewards is checked when they are granted, also after they were held. Only the operator
    /// gives more, and nothing is refused for the limit before it is reached.
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
