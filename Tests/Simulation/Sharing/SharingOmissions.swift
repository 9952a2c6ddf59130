import KithModel
import KithServer

/// What the server must have done, once nothing waits any more. A server that does nothing keeps every other law.
struct SharingOmissions {
    let ledger: SharingLedger
    let history: SharingHistory
    /// The terms of the programmes.
    let terms: [String: SharingTerms]
    /// The deleted accounts.
    let deleted: Set<AccountID>
    /// How often it was known what the server had to decide.
    private(set) var coverage = SharingCoverage()

    /// What happens so shortly before a limit of time is not judged.
    private static let margin = Duration.minutes(1)

    /// The first thing that the server has left undone; nil if that is nothing.
    mutating func first() -> String? {
        waiting() ?? signUpOmission() ?? lateCodeOmission() ?? eventOmission() ?? rewardOmission()
    }

    private func isDeleted(_ account: AccountID) -> Bool { deleted.contains(account) }

    private func waiting() -> String? {
        for (account, signUp) in history.signUps.sorted(by: { $0.key < $1.key })
        where signUp.decided == nil && !isDeleted(account) {
            return "\(account) has signed up, and nothing is decided"
        }
        for (place, event) in history.events.sorted(by: { $0.key < $1.key })
        where event.isWaiting && !isDeleted(place.feed.retyped()) {
            return "“\(event.name)” of \(place.feed) is not counted"
        }
        return nil
    }

    // MARK: Who has brought the accounts

    /// Whoever signs up with a code is bound to the advocate whose code counts by the programme's rule.
    private mutating func signUpOmission() -> String? {
        for (account, signUp) in history.signUps.sorted(by: { $0.key < $1.key }) where !isDeleted(account) {
            for (programme, terms) in terms.sorted(by: { $0.key < $1.key }) {
                guard let decided = signUp.decided, !decided.paused.contains(programme),
                    let advocate = advocate(of: account, signUp, at: decided, programme, terms)
                else { continue }
                coverage.signUps += 1
                if let fault = fault(of: account, in: programme, shouldBe: advocate) { return fault }
            }
        }
        return nil
    }

    /// The advocate of a sign-up by the codes that were used before; nil if there is none, or if it depends on the
    /// order of things that have crossed.
    private func advocate(
        of account: AccountID, _ signUp: SharingHistory.SignUp, at decided: SharingHistory.Moment,
        _ programme: String, _ terms: SharingTerms
    ) -> AccountID? {
        var uses: [(time: Timestamp, owner: AccountID)] = []
        for one in history.usedCodes.values where one.account == account && one.arrived.number <= decided.number {
            // The server can decide about a sign-up so late that codes of later days have arrived.
            guard let code = history.codes[one.key], code.programme == programme, code.owner != account,
                one.used - signUp.joined <= Limits.lateClaim
            else { continue }
            let hasCrossed = one.arrived.number == decided.number || code.arrived.number >= one.arrived.number
            if hasCrossed || isDeleted(code.owner) { return nil }
            let time = min(one.used, signUp.joined)
            if signUp.joined - time <= terms.window { uses.append((time, code.owner)) }
        }
        let times = uses.map(\.time)
        let time = terms.rule == .newest ? times.max() : times.min()
        let owners = Set(uses.filter { $0.time == time }.map(\.owner))
        return owners.count == 1 ? owners.first : nil
    }

    /// A code that is used within a day after the sign-up binds an account that nobody has brought.
    private mutating func lateCodeOmission() -> String? {
        for (_, one) in history.usedCodes.sorted(by: { $0.key < $1.key }) where !isDeleted(one.account) {
            guard let signUp = history.signUps[one.account], let signedUp = signUp.decided, let decided = one.decided,
                signedUp.number < one.arrived.number, decided.time <= signUp.joined + Limits.lateClaim - Self.margin,
                let code = history.codes[one.key], code.arrived.number < one.arrived.number,
                code.owner != one.account, !isDeleted(code.owner), !decided.paused.contains(code.programme),
                let terms = terms[code.programme], signUp.joined - one.used <= terms.window
            else { continue }
            let friend = SharingHistory.Friend(account: one.account, programme: code.programme)
            if let bound = history.bound[friend], bound.number < decided.number { continue }
            // Two codes that the server decides about at once have crossed.
            let hasRival = history.usedCodes.values.contains { other in
                guard other.account == one.account, other.decided?.number == decided.number,
                    let rival = history.codes[other.key]
                else { return false }
                return rival.programme == code.programme && rival.owner != code.owner
            }
            if hasRival { continue }
            coverage.lateCodes += 1
            if let fault = fault(of: one.account, in: code.programme, shouldBe: code.owner) { return fault }
        }
        return nil
    }

    private func fault(of account: AccountID, in programme: String, shouldBe advocate: AccountID) -> String? {
        let brought = ledger.brought.first { $0.friend == account && $0.programme == programme }
        if brought?.advocate == advocate { return nil }
        let found = brought.map { "\($0.advocate)" } ?? "nobody"
        return "\(account) has used a code of \(advocate), and \(found) has brought it to \(programme)"
    }

    // MARK: Rewards

    /// Each event of a friend that earns rewards has one decision, also if the friend was brought after it.
    private mutating func eventOmission() -> String? {
        for one in ledger.brought where !isDeleted(one.friend) {
            let friend = SharingHistory.Friend(account: one.friend, programme: one.programme)
            guard let terms = terms[one.programme], let bound = history.bound[friend] else { continue }
            let isJoined = terms.event == SharingEvent.joined
            let counting = isJoined ? [bound] : moments(of: terms, one, before: bound)
            if counting.isEmpty { continue }
            coverage.decisions += 1
            if counting.allSatisfy({ $0.number < bound.number }) { coverage.earlyEvents += 1 }
            let count = ledger.decisions.count { decision in
                decision.friend == one.friend && decision.programme == one.programme && decision.event == terms.event
            }
            if count != 1 { return "“\(terms.event)” of \(one.friend) has \(count) decisions in \(one.programme)" }
        }
        return nil
    }

    /// When the server has processed the events of a friend that earn rewards: after it was known who has brought the
    /// friend, or at most the programme's window before.
    private func moments(
        of terms: SharingTerms, _ one: SharingLedger.Brought, before bound: SharingHistory.Moment
    ) -> [SharingHistory.Moment] {
        history.events.filter { place, event in
            place.feed == one.friend.retyped() && event.programme == one.programme && event.name == terms.event
        }.values.flatMap(\.processed).filter { moment in
            let isInTime =
                moment.number >= bound.number || bound.time <= moment.time + terms.window - Self.margin
            return isInTime && !moment.paused.contains(one.programme)
        }
    }

    /// A granted event has a reward for each side whose account exists, and no other event has one.
    private mutating func rewardOmission() -> String? {
        for decision in ledger.decisions {
            let given = ledger.given[decision.id] ?? []
            guard decision.state == "granted" else {
                if given.isEmpty { continue }
                return "“\(decision.event)” of \(decision.friend) is \(decision.state) and rewarded"
            }
            let sides: [(Reward.Side, AccountID)] = [(.advocate, decision.advocate), (.friend, decision.friend)]
            for (side, account) in sides where !isDeleted(account) {
                coverage.rewards += 1
                if !given.contains(side) {
                    return "“\(decision.event)” of \(decision.friend) is granted, and the \(side) has no reward"
                }
            }
        }
        return nil
    }
}
