import KithModel

extension RecordPlace {
    /// The record of a person among another's contacts.
    static func contact(_ peer: AccountID, of account: AccountID) -> RecordPlace {
        RecordPlace(account.retyped(), peer.retyped())
    }
    /// The profile record of a person.
    static func profile(of account: AccountID) -> RecordPlace { RecordPlace(account.retyped(), Profile.id) }
}
