import GRDB
import KithModel

/// Records the changes of invitations in one transaction, and announces them.
final class InvitationRecorder: ChangeRecorder {
    /// Invitations that were inserted without a check for an existing record.
    private var inserted: [Invitation] = []
    /// The invitations of the former account after a switch to another; nil without a switch.
    private var left: [Invitation]?

    func willWrite(_ key: RecordKey, in transaction: ReplicaTransaction) throws {}
    func didWrite(_ write: RecordWrite, _ key: RecordKey, in transaction: ReplicaTransaction) throws {}

    func didInsert(_ records: InsertedRecords, in transaction: ReplicaTransaction) {
        guard records.collection == .invitations, transaction.isHeard else { return }
        inserted += records.map { Invitation($0, $1) }.compactMap(\.self)
    }

    func willSwitch(in transaction: ReplicaTransaction) throws {
        guard left == nil else { return }
        var known = try Invitation.fetchAll(transaction.db, transaction.account.key)
        // Observers know the state before the changes of this transaction.
        for key in transaction.order where key.collection == .invitations {
            known.removeAll { $0.id == key.id.retyped() }
            if let before = transaction.shown(key)?.before.flatMap({ Invitation(key, $0) }) { known.append(before) }
        }
        left = known
    }

    func didSwitch(in transaction: ReplicaTransaction) throws {}
    func writeConsequences(in transaction: ReplicaTransaction) throws {}

    func announcements(
        in transaction: ReplicaTransaction
    ) throws -> (own: [Announcement], others: [Announcement]) {
        var own = Changed<Invitation>(origin: .device)
        var others = Changed<Invitation>(origin: transaction.origin)
        if let left {
            let now = try Invitation.fetchAll(transaction.db, transaction.account.key)
            for one in Difference.all(left, now, by: { .invitation($0.id) }) { others.note(one.before, one.after) }
            return ([], [.changes(others)])
        }
        for key in transaction.order where key.collection == .invitations {
            guard let (before, after) = transaction.shown(key) else { continue }
            let (old, new) = (before.flatMap { Invitation(key, $0) }, after.flatMap { Invitation(key, $0) })
            // The confirmed record of this device's own edit differs only in the time, which the server sets.
            let isEcho = transaction.confirmed.contains(key) && before?.fields == after?.fields
            if isEcho { own.note(old, new) } else { others.note(old, new) }
        }
        others.added += inserted
        return ([.changes(own)], [.changes(others)])
    }
}
