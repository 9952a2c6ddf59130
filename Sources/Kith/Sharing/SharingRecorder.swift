import KithModel

/// Records the changes of sharing in one transaction, and announces them.
final class SharingRecorder: ChangeRecorder {
    private var shareables = RecordFollower<Shareable>()
    private var shares = RecordFollower<Share>()
    private var claims = RecordFollower<Claim>()
    private var referrals = RecordFollower<Referral>()
    private var rewards = RecordFollower<Reward>()
    /// Whether records were inserted without a check, or another account became the current one.
    private var isTouched = false

    private static let collections: Set<RecordCollection> = [
        Shareable.collection, Share.collection, Claim.collection, Referral.collection, Reward.collection,
    ]

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        guard transaction.hasObservers, Self.collections.contains(records.collection) else { return }
        isTouched = true
        shareables.didInsert(records)
        shares.didInsert(records)
        claims.didInsert(records)
        referrals.didInsert(records)
        rewards.didInsert(records)
    }

    func willSwitch(in transaction: ReplicaTransaction) throws {
        isTouched = true
        try shareables.willSwitch(in: transaction)
        try shares.willSwitch(in: transaction)
        try claims.willSwitch(in: transaction)
        try referrals.willSwitch(in: transaction)
        try rewards.willSwitch(in: transaction)
    }

    func announcements(in transaction: ReplicaTransaction) throws -> Announcements {
        // Few transactions change anything of sharing.
        guard isTouched || transaction.order.contains(where: { Self.collections.contains($0.collection) }) else {
            return Announcements()
        }
        let shareables = try shareables.changes(in: transaction)
        let shares = try shares.changes(in: transaction)
        let claims = try claims.changes(in: transaction)
        let referrals = try referrals.changes(in: transaction)
        let rewards = try rewards.changes(in: transaction)
        var own = SharingChanges(origin: .device)
        var others = SharingChanges(origin: transaction.origin)
        (own.shareables, others.shareables) = (shareables.own, shareables.others)
        (own.shares, others.shares) = (shares.own, shares.others)
        (own.claims, others.claims) = (claims.own, claims.others)
        (own.referrals, others.referrals) = (referrals.own, referrals.others)
        (own.rewards, others.rewards) = (rewards.own, rewards.others)
        var announcements = Announcements()
        announcements.add(own: own, others: others)
        return announcements
    }
}
