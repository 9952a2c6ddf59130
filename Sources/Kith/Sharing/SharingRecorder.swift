import KithModel

/// Records the changes of sharing in one transaction, and announces them.
final class SharingRecorder: ChangeRecorder {
    private var shareables = RecordFollower<Shareable>()
    private var shares = RecordFollower<Share>()
    private var claims = RecordFollower<Claim>()
    private var referrals = RecordFollower<Referral>()
    private var rewards = RecordFollower<Reward>()

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        guard transaction.isHeard else { return }
        shareables.didInsert(records)
        shares.didInsert(records)
        claims.didInsert(records)
        referrals.didInsert(records)
        rewards.didInsert(records)
    }

    func willSwitch(in transaction: ReplicaTransaction) throws {
        try shareables.willSwitch(in: transaction)
        try shares.willSwitch(in: transaction)
        try claims.willSwitch(in: transaction)
        try referrals.willSwitch(in: transaction)
        try rewards.willSwitch(in: transaction)
    }

    func announcements(
        in transaction: ReplicaTransaction
    ) throws -> (own: [Announcement], others: [Announcement]) {
        var own = SharingChanges(origin: .device)
        var others = SharingChanges(origin: transaction.origin)
        try shareables.note(in: transaction, own: &own.shareables, others: &others.shareables)
        try shares.note(in: transaction, own: &own.shares, others: &others.shares)
        try claims.note(in: transaction, own: &own.claims, others: &others.claims)
        try referrals.note(in: transaction, own: &own.referrals, others: &others.referrals)
        try rewards.note(in: transaction, own: &own.rewards, others: &others.rewards)
        return ([.changes(own)], [.changes(others)])
    }
}
