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
    private(set) var signedUp: Set<AccountID> = []
    /// The deleted accounts.
    private(set) var deleted: Set<AccountID> = []
    /// The terms of the programmes.
    private(set) var terms: [String: SharingTerms] = [:]
    /// How often it was known what the server had to decide.
    var coverage = SharingCoverage()

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

    /// Remembers what an account has wanted and done, also if a call was interrupted or the account has replaced another.
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
}
