package import Foundation
package import KithModel

/// Decides who has brought somebody who signs up.
///
/// A code or link that the person used counts first, because the person chose it. Otherwise it is the advocate who shared
/// to a number or email that the person has proved. ``ShareRow/counting(to:in:joined:in:)`` chooses among such shares.
package struct Attribution: Hashable, Sendable {
    /// Which of several advocates counts.
    package enum Rule: String, CaseIterable, Hashable, Sendable, Codable {
        /// The one who shared last.
        case newest
        /// The one who shared first.
        case first
    }

    /// A possible advocate.
    package struct Claim: Hashable, Sendable {
        package let advocate: AccountID
        package let basis: Referral.Basis
        /// When the code was used, or the share was made.
        package let time: Timestamp
        /// The share or the shareable that is rewarded.
        package let source: UUID

        package init(_ advocate: AccountID, _ basis: Referral.Basis, at time: Timestamp, source: UUID) {
            (self.advocate, self.basis, self.time, self.source) = (advocate, basis, time, source)
        }
    }

    package var rule = Rule.newest
    /// How long after a share or visit a sign-up is attributed to it.
    package var window = Duration.days(30)

    package init(_ rule: Rule = .newest, window: Duration = .days(30)) { (self.rule, self.window) = (rule, window) }

    /// The claim that counts; nil if there is none.
    ///
    /// Equal times are decided by the id, so that every server decides alike.
    package func winner(of claims: [Claim], friend: AccountID, joined: Timestamp) -> Claim? {
        let open = claims.filter {
            $0.advocate != friend && $0.time <= joined && joined - $0.time <= window
        }
        let chosen = open.filter { $0.basis == .code }
        let order = (chosen.isEmpty ? open : chosen).sorted {
            ($0.time, $0.source.uuidString) < ($1.time, $1.source.uuidString)
        }
        return rule == .newest ? order.last : order.first
    }
}
