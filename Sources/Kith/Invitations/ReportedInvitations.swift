import KithModel

/// The invitations as they were last reported.
struct ReportedInvitations: ReportedContent {
    private var invitations = Reported<Invitation> { $0.recordKey }

    mutating func note(_ announcement: Announcement) {
        if let changed = announcement.invitations { invitations.note(changed) }
    }

    mutating func take(_ reading: ReplicaReading, origin: ChangeOrigin) throws -> [Announcement] {
        [.changes(invitations.take(try Invitation.fetchAll(in: reading.store), origin: origin))]
    }
}
