import GRDB
import KithModel

// Reading invitations from the replica.
extension Invitation {
    /// The invitations of an account, latest first, without those that this version cannot read.
    static func fetchAll(_ db: Database, _ account: Int64) throws -> [Invitation] {
        try RecordTable(schema).all(db, account).filter { !$0.1.isRemoved }.reversed()
            .compactMap { Invitation($0.0, $0.1) }
    }

    static func fetch(_ db: Database, _ account: Int64, _ id: InvitationID) throws -> Invitation? {
        let key = RecordKey.invitation(id)
        return try RecordTable(schema).record(db, account, key).flatMap { $0.isRemoved ? nil : Invitation(key, $0) }
    }

    init?(_ key: RecordKey, _ record: StoredRecord) {
        self.init(id: key.id.retyped(), record.fields, modified: record.modified)
    }
}
