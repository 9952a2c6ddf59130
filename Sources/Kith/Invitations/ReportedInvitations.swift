import GRDB
import KithModel

/// The invitations as they were last reported.
struct ReportedInvitations: ReportedContent {
    private var invitations: [InvitationID: Invitation] = [:]

    mutating func note(_ announcement: Announcement) {
        guard let changed = announcement.invitations else { return }
        for one in changed.added + changed.modified { invitations[one.id] = one }
        for one in changed.removed { invitations[one.id] = nil }
    }

    mutating func take(_ db: Database, _ account: ReplicaAccount, origin: ChangeOrigin) throws -> [Announcement] {
        let now = try Invitation.fetchAll(db, account.key)
        var changed = Changed<Invitation>(origin: origin)
        let before = invitations.values.sorted { $0.id > $1.id }
        for one in Difference.all(before, now, by: { .invitation($0.id) }) { changed.note(one.before, one.after) }
        invitations = Dictionary(uniqueKeysWithValues: now.map { ($0.id, $0) })
        return [.changes(changed)]
    }
}
