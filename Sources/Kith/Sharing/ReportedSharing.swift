import KithModel

/// The records of sharing as they were last reported.
struct ReportedSharing: ReportedContent {
    private var shareables = Reported<Shareable> { $0.recordKey }
    private var shares = Reported<Share> { $0.recordKey }
    private var claims = Reported<Claim> { $0.recordKey }
    private var referrals = Reported<Referral> { $0.recordKey }
    private var rewards = Reported<Reward> { $0.recordKey }

    mutating func note(_ announcement: Announcement) {
        guard let changes = announcement.sharing else { return }
        shareables.note(changes.shareables)
        shares.note(changes.shares)
        claims.note(changes.claims)
        referrals.note(changes.referrals)
        rewards.note(changes.rewards)
    }

    mutating func take(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> [Announcement] {
        let store = reading.store
        var changes = SharingChanges(origin: origin)
        changes.shareables = shareables.take(try Shareable.fetchAll(in: store), origin: origin)
        changes.shares = shares.take(try Share.fetchAll(in: store), origin: origin)
        changes.claims = claims.take(try Claim.fetchAll(in: store), origin: origin)
        changes.referrals = referrals.take(try Referral.fetchAll(in: store), origin: origin)
        changes.rewards = rewards.take(try Reward.fetchAll(in: store), origin: origin)
        return [.changes(changes)]
    }
}
