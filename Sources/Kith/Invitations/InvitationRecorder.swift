import KithModel

/// Records the changes of invitations in one transaction, and announces them.
final class InvitationRecorder: ChangeRecorder {
    private var invitations = RecordFollower<Invitation>()

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        if transaction.hasObservers { invitations.didInsert(records) }
    }

    func willSwitch(in transaction: ReplicaTransaction) throws { try invitations.willSwitch(in: transaction) }

    func announcements(in transaction: ReplicaTransaction) throws -> Announcements {
        var announcements = Announcements()
        announcements.add(try invitations.changes(in: transaction))
        return announcements
    }
}

extension Invitation: OwnRecord {}
