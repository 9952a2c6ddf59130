import KithModel
import KithServer

/// What a server has decided about sharing, as the auditor reads it at the end.
struct SharingLedger {
    /// Somebody who was brought.
    struct Brought: Hashable {
        let friend: AccountID
        let programme: String
        let advocate: AccountID
        let basis: Referral.Basis
        /// The advocate's record.
        let record: ReferralID
    }

    /// A decision about the rewards for an event.
    struct Decision: Hashable {
        let id: ReferralRow.ID
        let programme: String
        let friend: AccountID
        let event: String
        let state: String
        let advocate: AccountID
        /// The words of the reasons.
        let reasons: Set<String>
    }

    /// The rewards of an advocate in a programme.
    struct Earned: Hashable {
        let programme: String
        let advocate: AccountID
        let count: Int
        /// Those that the operator has not released, so that the limit holds for them.
        let countByRule: Int
    }

    let brought: [Brought]
    let decisions: [Decision]
    let earned: [Earned]
    /// The records of the rewards of each account.
    let rewards: [AccountID: Set<RewardID>]
    /// The sides that were rewarded for each decision.
    let given: [ReferralRow.ID: Set<Reward.Side>]
    /// The sums of the steps of the funnel.
    let funnel: [Funnel.Step: Int]

    init(_ database: any ImmediateDatabase) throws {
        (brought, decisions, earned, rewards, given, funnel) = try database.readNow { transaction in
            let brought = try transaction.query(
                "SELECT account, programme, advocate, basis, record FROM attribution ORDER BY account, programme"
            ).map { row in
                Brought(
                    friend: try row.id(0), programme: try row.text(1), advocate: try row.id(2),
                    basis: Referral.Basis(rawValue: try row.text(3)) ?? .code, record: try row.id(4))
            }
            let decisions = try transaction.query(
                """
                SELECT id, programme, friend, event, state, advocate, reasons FROM referral
                ORDER BY programme, friend, event
                """
            ).map { row in
                Decision(
                    id: try row.id(0), programme: try row.text(1), friend: try row.id(2), event: try row.text(3),
                    state: try row.text(4), advocate: try row.id(5),
                    reasons: Set(try row.text(6).split(separator: " ").map(String.init)))
            }
            let earned = try transaction.query(
                """
                SELECT reward.programme, reward.account, count(*), sum(1 - referral.is_by_operator)
                FROM reward JOIN referral ON referral.id = reward.referral WHERE reward.side = 'advocate'
                GROUP BY reward.programme, reward.account ORDER BY reward.programme, reward.account
                """
            ).map { row in
                Earned(
                    programme: try row.text(0), advocate: try row.id(1), count: Int(try row.integer(2)),
                    countByRule: Int(try row.integer(3)))
            }
            var rewards: [AccountID: Set<RewardID>] = [:]
            var given: [ReferralRow.ID: Set<Reward.Side>] = [:]
            for row in try transaction.query("SELECT account, record, referral, side FROM reward") {
                rewards[try row.id(0), default: []].insert(try row.id(1))
                guard let side = Reward.Side(rawValue: try row.text(3)) else { continue }
                given[try row.id(2), default: []].insert(side)
            }
            var funnel: [Funnel.Step: Int] = [:]
            for row in try transaction.query("SELECT step, amount FROM funnel") {
                guard let step = Funnel.Step(rawValue: try row.text(0)) else { continue }
                funnel[step, default: 0] += Int(try row.integer(1))
            }
            return (brought, decisions, earned, rewards, given, funnel)
        }
    }

    /// The state that the advocate's record of a friend has to show.
    func state(of one: Brought) -> Referral.State {
        let states = decisions.filter { $0.friend == one.friend && $0.programme == one.programme }.map(\.state)
        return states.contains("granted")
            ? .granted : states.contains("held") ? .held : states.contains("refused") ? .refused : .joined
    }
}
