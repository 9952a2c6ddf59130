import KithModel

/// The rules for contacts. An account can have many of them.
struct ContactReplicaRules: ReplicaRules {
    let schema = NetworkContact.schema
    let isMany = true

    func title(of fields: Fields) -> String? { Profile(fields).fullName }
    func person(of key: RecordKey) -> AccountID? { key.id.retyped() }
    func foreseen(_ fields: Fields, before: Fields) -> Fields { NetworkContact.foreseen(fields, before: before) }

    /// Makes discovery run again at once, because the server may have lost the results of the last run.
    func sendAgainWhatIsNotInFeeds(in transaction: ReplicaTransaction) throws {
        try Match.setDue(transaction.db, transaction.account.key)
    }
}
