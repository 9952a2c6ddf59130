package import Foundation
public import KithModel

/// The changes of what I share, and of what comes of it. They can be read when the signal arrives.
public struct SharingChanges: Hashable, Sendable {
    /// My shareables, each with its code.
    public internal(set) var shareables: Changed<Shareable>
    /// My shares.
    public internal(set) var shares: Changed<Share>
    /// The codes of other people that I have used.
    public internal(set) var claims: Changed<Claim>
    /// The people who have joined because of me.
    public internal(set) var referrals: Changed<Referral>
    /// My rewards.
    public internal(set) var rewards: Changed<Reward>
    /// The origin of the changes; `state` for the first signal, which holds what there is.
    public let origin: ChangeOrigin
    /// Whether the content is complete: the first round has written everything. See ``Changed/isPopulated``.
    public let isPopulated: Bool

    /// No changes yet.
    init(origin: ChangeOrigin, isPopulated: Bool = false) {
        (self.origin, self.isPopulated) = (origin, isPopulated)
        shareables = Changed(origin: origin, isPopulated: isPopulated)
        shares = Changed(origin: origin, isPopulated: isPopulated)
        claims = Changed(origin: origin, isPopulated: isPopulated)
        referrals = Changed(origin: origin, isPopulated: isPopulated)
        rewards = Changed(origin: origin, isPopulated: isPopulated)
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        shareables.isEmpty && shares.isEmpty && claims.isEmpty && referrals.isEmpty && rewards.isEmpty
    }
}

extension SharingChanges: ReportedChanges {
    package var notification: (name: Notification.Name, changed: any Sendable)? { (.kithSharingChanged, self) }
}

extension SharingChanges {
    /// Everything that an account has, as the first signal of an observer.
    static func state(of reading: ReplicaReading) throws -> SharingChanges {
        let store = reading.store
        var state = SharingChanges(origin: .state, isPopulated: reading.account.isPopulated)
        state.shareables.added = try Shareable.fetchAll(in: store)
        state.shares.added = try Share.fetchAll(in: store)
        state.claims.added = try Claim.fetchAll(in: store)
        state.referrals.added = try Referral.fetchAll(in: store)
        state.rewards.added = try Reward.fetchAll(in: store)
        return state
    }
}
