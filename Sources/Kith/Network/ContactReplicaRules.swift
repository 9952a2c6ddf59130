import KithModel

/// A contact is about a person, and an account can have many.
struct ContactReplicaRules: ReplicaRules {
    let schema = NetworkContact.schema
    let isMany = true

    func title(of fields: Fields) -> String? { Profile(fields).fullName }
    func person(of key: RecordKey) -> AccountID? { key.id.retyped() }
    func foreseen(_ fields: Fields, before: Fields) -> Fields { NetworkContact.foreseen(fields, before: before) }
}
