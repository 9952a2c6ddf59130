import KithModel

/// Records the changes of invitations in one transaction, and announces them.
final class InvitationRecorder: ChangeRecorder {
    private var invitations = RecordFollower<Invitation>()

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        if transaction.isHeard { invitations.didInsert(records) }
    }

    func willSwitch(in transaction: ReplicaTransaction) throws { try invitations.willSwitch(in: transaction) }

    func announcements(
        in transaction: ReplicaTransaction
    ) throws -> (own: [Announcement], others: [Announcement]) {
        var own = Changed<Invitation>(origin: .device)
        var others = Changed<Invitation>(origin: transaction.origin)
        try invitations.note(in: transaction, own: &own, others: &others)
        return ([.changes(own)], [.changes(others)])
    }
}

extension Invitation: OwnRecord {}
