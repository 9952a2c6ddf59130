import KithModel

/// Rules for contacts. An account can have many of them.
struct ContactReplicaRules: ReplicaRules {
    let schema = NetworkContact.schema
    let isMany = true

    func title(of fields: Fields) -> String? { Profile(fields).fullName }
    func person(of key: RecordKey) -> AccountID? { key.id.retyped() }
    func foreseen(_ fields: Fields, before: Fields) -> Fields { NetworkContact.foreseen(fields, before: before) }

    /// Discovery runs again at once.
    func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws {
        try Match.setDue(transaction.db, transaction.account.key)
    }
}
